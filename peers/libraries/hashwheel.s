// The body of a function that is linked to another package is not here.
