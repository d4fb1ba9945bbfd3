package schedtest

// modelCases compare with the model, which knows all rules at once.
func modelCases() []Case {
	return []Case{
		{"model", "Under random operations every answer is one that the contract allows.", model},
		{"fuzz-seeds", "The seeds of the fuzz target give only answers that the contract allows.", fuzzSeeds},
	}
}

func model(t TestingT, s Subject) {
	for seed, ops := range []int{50, 500, 5000, 20_000, 60_000} {
		for i := range uint64(4) {
			if err := Compare(s, uint64(seed)<<8+i, ops); err != nil {
				t.Errorf("%v", err)
				return
			}
		}
	}
}

func fuzzSeeds(t TestingT, s Subject) {
	for i, input := range seeds() {
		if err := play(s, input); err != nil {
			t.Errorf("seed %d: %v", i, err)
		}
	}
}
