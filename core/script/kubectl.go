package script

import (
	"github.com/reconcile-playground/reconcile/core/kubectl"
	"github.com/reconcile-playground/reconcile/core/script/tool"
)

// kubectl is the program, over the wire of the pass.
func (s *session) kubectl(p *tool.Proc) int {
	abs := func(name string) string {
		if len(name) > 0 && name[0] == '/' {
			return clean(name)
		}
		return clean(p.Dir + "/" + name)
	}
	env := &kubectl.Env{
		Client: client{s, p}, Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr,
		ReadFile: func(name string) ([]byte, error) { return p.Files.ReadFile(abs(name)) },
		ReadDir: func(name string) ([]string, error) {
			infos, err := p.Files.ReadDir(abs(name))
			names := make([]string, len(infos))
			for i, info := range infos {
				names[i] = info.Name()
			}
			return names, err
		},
		Getenv: func(name string) string { v, _ := p.Getenv(name); return v },
	}
	return kubectl.Run(env, p.Args[1:]...)
}
