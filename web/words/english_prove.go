package words

func (*english) ProveTitle() string { return "Prove" }
