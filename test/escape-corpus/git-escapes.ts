import { type Escape, escapes } from './escape.ts'

/** What Git does at the word of its arguments, of a repository or of its configuration. */
export const gitEscapes: readonly Escape[] = [
  ...escapes(
    'options of the output write any file',
    `git log | --format=%H --output=OUT/mark
     git log | --format=%H --output OUT/mark
     git log | --oneline --output=../outside/mark
     git log | -1 --format=obey:%H --output=AGENTS.md
     git log | -1 --format=x:%H --output=.git/hooks/post-checkout
     git log | -1 --format=x:%H --output=.git/config
     git show | --output=OUT/mark
     git show | -s --format=obey:%H --output=AGENTS.md
     git diff | --output=OUT/mark HEAD~1
     git diff | --no-index --output=OUT/mark a.txt b.txt
     git diff-tree | -p --output=OUT/mark HEAD
     git diff-index | -p --output=OUT/mark HEAD~1
     git reflog | --output=OUT/mark
     git whatchanged | --output=OUT/mark
     git format-patch | -1 -o OUT
     git format-patch | -1 --output-directory=OUT
     git archive | --output=OUT/mark HEAD
     git archive | -o OUT/mark.zip HEAD
     git bundle | create OUT/mark HEAD
     git fast-export | --export-marks=OUT/mark HEAD
     git mailinfo | OUT/mark OUT/mark2
     git checkout-index | --prefix=OUT/ a.txt
     git worktree | add OUT/tree
     git clone | -q . OUT/copy
     git init | -q OUT/new
     git init | -q --separate-git-dir=OUT/apart new
     git | --work-tree=OUT checkout -- a.txt`,
  ),
  ...escapes(
    'options read files and repositories outside',
    `git diff | --no-index /dev/null OUT/secret
     git diff | --no-index a.txt ../outside/secret
     git blame | --contents OUT/secret a.txt
     git merge-file | -p a.txt b.txt OUT/secret
     git -C | OUT/repository log
     git | --git-dir=OUT/repository/.git log
     git | --git-dir OUT/repository/.git log --oneline
     git clone | -q OUT/repository taken`,
  ),
  ...escapes(
    'options run programs',
    `git grep | -O./evil.sh one
     git grep | --open-files-in-pager=./evil.sh one
     git fetch | --upload-pack=./evil.sh . main
     git fetch | --upload-p=./evil.sh . main
     git pull | --upload-pack=./evil.sh . main
     git ls-remote | --upload-pack=./evil.sh .
     git clone | -q --upload-pack=./evil.sh . copy
     git clone | -q -u ./evil.sh . copy
     git clone | -q --template=template . copy
     git push | --receive-pack=./evil.sh . main
     git push | --exec=./evil.sh . main
     git archive | --remote=. --exec=./evil.sh HEAD
     git rebase | --exec ./evil.sh HEAD~1
     git rebase | -x ./evil.sh HEAD~1
     git difftool | -y --extcmd=./evil.sh HEAD~1
     git difftool | --no-prompt -x ./evil.sh HEAD~1`,
  ),
  ...escapes(
    'configuration on the command line runs programs',
    `git | -c core.fsmonitor=./evil.sh status
     git | -c "alias.x=!./evil.sh" x
     git | -c diff.external=./evil.sh diff HEAD~1
     git | -c core.sshCommand=./evil.sh ls-remote ssh://x/y
     git | -c core.editor=./evil.sh commit --allow-empty
     git | -c core.editor=./evil.sh tag -a x
     git | -c core.hooksPath=template/hooks checkout -q -b other
     git | -c protocol.ext.allow=always fetch "ext::./evil.sh"
     git | --exec-path=. evil`,
  ),
  ...escapes(
    'a folder that looks like a repository names programs, and the next command runs them',
    `git | -C sub status
     git | --git-dir=sub status
     git -C sub | diff`,
  ),
  ...escapes(
    'what a later command obeys is changed',
    `git config | core.fsmonitor ./evil.sh
     git config | alias.st "!./evil.sh"
     git config | --file .git/config core.pager ./evil.sh
     git remote | add origin http://127.0.0.1:PORT/x`,
  ),
  ...escapes(
    'addresses carry what is read to other machines',
    `git ls-remote | http://127.0.0.1:PORT/git
     git fetch | http://127.0.0.1:PORT/git
     git clone | -q http://127.0.0.1:PORT/git copy
     git push | http://127.0.0.1:PORT/git main
     git submodule | add http://127.0.0.1:PORT/git module`,
  ),
]
