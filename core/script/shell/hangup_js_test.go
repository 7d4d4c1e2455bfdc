package shell_test

// There is no bash to start.
func hangups() {}
