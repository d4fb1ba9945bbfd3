package durable

const childEnv = "DURABLE_CHILD"

func child() {}
