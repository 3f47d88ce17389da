import assert from 'node:assert/strict'
import test from 'node:test'
import { commandWords } from './command-words.ts'
import { type CommandGrammar, flagsOf, type WordKind } from './presets/match-command.ts'
import {
  commandPresets,
  presetAnswer,
  presetBeginnings,
  PRESET_NAMES,
  PRESETS_CHECKED,
  presetsInstead,
} from './presets.ts'

/** The answer about a command as a model writes it: the preset and its places, or why not. */
function answer(command: string, presets: readonly string[] = PRESET_NAMES): string {
  const read = commandWords(command)
  if (read.type === 'refused') return read.why
  const found = presetAnswer(read.words, presets)
  if (found.type === 'refused') return found.why
  return [found.preset, ...found.paths.map(({ word, kind }) => `${kind} ${word}`)].join(' | ')
}

for (const [command, expected] of [
  ['git status', 'git-read'],
  ['git status -sb -- src', 'git-read | path src'],
  ['git log --oneline -5', 'git-read'],
  ['git log -n5 --format=%h%x09%s main..topic -- src', 'git-read | path main..topic | path src'],
  ["git --no-pager log --since='2 weeks ago' --stat", 'git-read'],
  ['git show HEAD~2 --stat', 'git-read | path HEAD~2'],
  ['git show HEAD:src/a.ts', 'git-read | path HEAD:src/a.ts'],
  ['git diff --cached -U5', 'git-read'],
  ['git diff @{u}', 'git-read | path @{u}'],
  ['git blame -L 10,20 a.ts', 'git-read | path a.ts'],
  ['git branch -avv', 'git-read'],
  ["git branch --list 'topic/*'", 'git-read'],
  ["git tag --list 'v1.*' --sort=-creatordate", /stands behind a name/],
  ["git tag --list --sort=-creatordate 'v1.*'", 'git-read'],
  ['git ls-files -mo --exclude-standard', 'git-read'],
  ['git rev-parse --abbrev-ref HEAD', 'git-read | path HEAD'],
  ['git shortlog -sne', 'git-read'],
  ['git describe --tags --abbrev=0', 'git-read'],
  ['git cat-file -p HEAD^{tree}', 'git-read | path HEAD^{tree}'],
  ['git add -A', 'git-write'],
  ["git commit -am 'Say it'", 'git-write'],
  ['git switch -c topic main', 'git-write'],
  ['git restore --staged a.ts', 'git-write | written a.ts'],
  ['ls -la src', 'files-read | path src'],
  ['ls -la', 'files-read | path .'],
  ['find -newer a.txt', 'search | path a.txt | path .'],
  ['head -20 a.txt', 'files-read | file a.txt'],
  ['tail -n +5 a.txt', 'files-read | file a.txt'],
  ['head -n -5 a.txt', 'files-read | file a.txt'],
  ['wc -l a.txt b.txt', 'files-read | file a.txt | file b.txt'],
  ['diff -u a.txt b.txt', 'files-read | file a.txt | file b.txt'],
  ['sort -t, -k2 a.csv', 'files-read | file a.csv'],
  ['uniq -c a.txt', 'files-read | file a.txt'],
  ['tree -L 2 -I node_modules', 'files-read | path .'],
  ['du -sh .', 'files-read | path .'],
  ["grep -rn --include='*.ts' needle src", 'search | path src'],
  ['grep -rne needle src', 'search | path src'],
  [
    'git grep -n needle HEAD -- src',
    /is not a revision|search \| path HEAD \| path -- src|search \| path HEAD \| path src/,
  ],
  ["rg -g '*.ts' -A3 needle src", 'search | path src'],
  ['rg --files src', 'search | path src'],
  ["find src -name '*.ts' -not -path '*/x/*'", 'search | path src'],
  ["find . -type f -size +10k '(' -name a -o -name b ')'", 'search | path .'],
  ['fd -e ts needle src', 'search | path src'],
  ['node --test --test-name-pattern=a test/a.test.js', 'node-test | path test/a.test.js'],
  ['npm test', 'node-test'],
  ['npm run build:docs', 'node-test'],
  ["pytest -q -k 'a and not b' tests/test_a.py::test_b", 'python-test | path tests/test_a.py'],
  ['python3 -m pytest -x', 'python-test'],
] as const) {
  test(`${command} is answered with ${String(expected)}`, () => {
    if (typeof expected === 'string') assert.equal(answer(command), expected)
    else assert.match(answer(command), expected)
  })
}

/** Every one of them runs a program, writes a file, reads another place than it names, or changes more than it says. */
for (const command of [
  'git log --output=x',
  'git log --output x',
  'git log --outp=x',
  'git diff --no-index a b',
  'git diff --ext-diff',
  'git show --textconv HEAD:a',
  'git log -Oorder',
  'git log --show-signature',
  'git log --format=%G?',
  "git log --pretty='format:% GS'",
  'git shortlog --group=format:%G?',
  'git branch --sort=signature',
  "git branch --format='%(signature)'",
  'git -c core.fsmonitor=./x status',
  'git -C .. log',
  'git --git-dir=x log',
  'git --exec-path=. status',
  'git --paginate log',
  'git log --help',
  'git branch topic',
  'git branch -D topic',
  'git branch -f --list topic',
  'git branch --edit-description',
  'git tag v1',
  'git tag -v v1',
  'git tag -d v1',
  'git blame --contents x a',
  'git blame -S x a',
  'git ls-files -X x',
  'git ls-files --exclude-from=x',
  'git cat-file --textconv HEAD:a',
  'git cat-file --batch',
  'git grep -O./x a',
  'git grep --open-files-in-pager=./x a',
  'git grep -f x',
  'git grep --no-index a /etc',
  'git fetch',
  'git archive HEAD',
  'git config -l',
  'git add --pathspec-from-file=x',
  'git add -p',
  'git commit',
  'git commit -F x -m a',
  'git commit -m a --amend',
  'git commit -ceHEAD -m a',
  'git commit -S -m a',
  'git switch -f main',
  'git switch --recurse-submodules main',
  'git checkout main',
  'git checkout -- a',
  'git restore --pathspec-from-file=x',
  'git restore --recurse-submodules a',
  "git restore '*.md'",
  'ls -L a',
  'ls -RL',
  'ls --dereference a',
  'cat -',
  'tail -f a',
  'tail --follow a',
  'wc --files0-from=x',
  'file -z a',
  'file -m x a',
  'file -f x',
  'file -C -m x',
  'du -X x',
  'du -L .',
  'tree -o x',
  'tree -ao x',
  'tree -aL 2',
  'tree -Po x y',
  'tree -R',
  'tree -l',
  'tree --fromfile x',
  'diff -r a b',
  'diff -lu a b',
  'diff --paginate a b',
  'diff --from-file=x a',
  'diff a -',
  'sha256sum -c x',
  'sort -o x a',
  'sort a -o x',
  'sort -no x a',
  'sort --outp=x a',
  'sort --compress-program=./x a',
  'sort --compress-prog=./x a',
  'sort -T x a',
  'sort --files0-from=x',
  'sort --random-source=x -R a',
  'uniq a b',
  'uniq -- a b',
  'uniq -f 1 a b',
  'grep -R a .',
  'grep -f x a',
  'grep --file=x a',
  'grep --exclude-from=x a b',
  'grep a -f x',
  'grep a b -e c',
  'rg --pre=./x a',
  'rg --pre ./x a',
  'rg --hostname-bin=./x a',
  'rg -z a',
  'rg --search-zip a',
  'rg -f x',
  'rg -L a',
  'rg --follow a',
  'rg --ignore-file=x a',
  "find . -exec sh -c x ';'",
  "find . -execdir x ';'",
  "find . -ok x ';'",
  "find . -okdir x ';'",
  'find . -delete',
  'find . -fprint x',
  'find . -fprint0 x',
  'find . -fprintf x %p',
  'find . -fls x',
  'find -L .',
  'find -H .',
  'find -files0-from x',
  'find . -name a ..',
  'fd -x ./x',
  'fd -X ./x',
  'fd --exec ./x',
  'fd --exec-batch ./x',
  'fd -l',
  'fd --list-details',
  'fd -L',
  'fd -HL',
  'fd --base-directory=.. a',
  'fd --search-path=.. a',
  'node --test --test-reporter=./x.js',
  'node --test --import=./x.js',
  'node --test -r ./x.js',
  'node --test --test-reporter-destination=x',
  'node --test --env-file=x',
  'node a.test.js',
  'node -e 1',
  "node --test '{..,a}/b.test.js'",
  'npm test -- x',
  'npm run build -- x',
  'npm run --prefix=.. build',
  'npm run --script-shell=./x build',
  'npm install',
  'npx x',
  'pytest -p x',
  'pytest -px',
  'pytest -qp x',
  'pytest -c x',
  'pytest -o addopts=x',
  'pytest --rootdir=..',
  'pytest --basetemp=.',
  'pytest --junitxml=x',
  'pytest --pastebin=all',
  'pytest @x',
  'pytest -k @x',
  'python -m http.server',
  'python3 -c 1',
  'cat @x',
  'node --test @x',
  'env ls',
  'LC_ALL=C ls',
  "'A=1' ls",
  './ls',
  '/bin/ls',
  'LS',
] as const) {
  test(`no preset allows ${command}`, () => {
    const read = commandWords(command)
    assert.ok(read.type === 'refused' || presetAnswer(read.words, PRESET_NAMES).type === 'refused')
  })
}

test('a refusal says which flag it is and which there are, and how a word that was cut short is written whole', () => {
  assert.equal(answer('wc --lin a'), 'the flag "--lin" is cut short: write --lines (preset files-read)')
  assert.equal(
    answer('wc --files0-from=x'),
    'the flag "--files0-from" is not allowed in `wc`: allowed are -l, -w, -c, -m, -L, --lines, --words, --bytes, --chars, --max-line-length (preset files-read)',
  )
  assert.equal(answer('git checkout -b'), '`git checkout -b` needs a branch (preset git-write)')
  assert.equal(answer('rm x'), 'no preset allows this command')
})

test('names of presets that there are not allow nothing', () => {
  assert.equal(answer('git status', ['git', 'gitread', '']), 'no preset allows this command')
})

/** The same numbers in every run. */
function chance(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const WORDS: Readonly<Record<Exclude<WordKind, `one of ${string}`>, readonly string[]>> = {
  text: ['a text', '%x', '../x', '/etc/passwd'],
  pattern: ['a.*b', '../x', '/etc/passwd'],
  expression: ['a and b'],
  format: ['%h %s', '%an'],
  number: ['3', '120'],
  count: ['3', '+10k', '-7'],
  lines: ['1,5', '7'],
  name: ['build', 'ts'],
  branch: ['main', 'topic/x'],
  revision: ['HEAD~3', 'main..topic', 'src/a.ts', '../x', '/etc/passwd'],
  path: ['src', '.', '../x', '/etc/passwd'],
  file: ['a.txt', '../x', '/etc/passwd'],
  written: ['a.txt', '../x'],
  test: ['test/a.test.js', '../x'],
}

const grammars = commandPresets.flatMap(({ name, commands }) => commands.map((grammar) => ({ name, grammar })))

/** A command that a grammar allows, made of its own parts. */
function anyCommand(grammar: CommandGrammar, below: (most: number) => number): readonly string[] {
  const one = <Value>(values: readonly Value[]): Value => values[below(values.length)]!
  const word = (kind: WordKind) =>
    kind.startsWith('one of ') ? one(kind.slice('one of '.length).split('|')) : one(WORDS[kind as keyof typeof WORDS])
  const needed = grammar.needs?.slice(0, 1) ?? []
  const known = [...flagsOf(grammar)]
  const picked = [...known.filter(([name]) => needed.includes(name)), ...known.filter(() => below(12) === 0)]
  const given = new Set(picked.map(([name]) => name))
  const flags = picked.flatMap(([name, value]) => {
    if (name === '-NUMBER') return [`-${1 + below(50)}`]
    if (value === 'none') return [name]
    const kind = value.replace(/^\[?[=_]?|\]$/g, '').replace(/\]$/, '') as WordKind
    const joint = name.startsWith('--') ? '=' : ''
    if (value.startsWith('_')) return [name, word(kind)]
    if (value.startsWith('[') && below(2) === 0) return [name]
    return value.startsWith('[') || value.startsWith('=') || below(2) === 0
      ? [`${name}${joint}${word(kind)}`]
      : [name, word(kind)]
  })
  const operands = (grammar.operands ?? []).flatMap(({ kind, least = 0, most = 3, unless = [] }) =>
    unless.some((name) => given.has(name))
      ? []
      : Array.from({ length: least + below(most - least + 1) }, () => word(kind)),
  )
  const begin = one(grammar.begins).split(' ')
  return grammar.expression ? [...begin, ...operands, ...flags] : [...begin, ...flags, ...operands]
}

/** Runs a check with thousands of allowed commands. */
function forCommands(check: (argv: readonly string[], grammar: CommandGrammar, preset: string) => void): void {
  const below = chance(5)
  for (let round = 0; round < 60; round += 1) {
    for (const { name, grammar } of grammars) check(anyCommand(grammar, below), grammar, name)
  }
}

test('every flag of an allowed command is one that its grammar names', () => {
  forCommands((argv, grammar, preset) => {
    const found = presetAnswer(argv, [preset])
    assert.equal(found.type, 'allowed', `${argv.join(' ')}: ${JSON.stringify(found)}`)
    const names = [...flagsOf(grammar).keys()]
    const begin = grammar.begins.flatMap((each) => each.split(' '))
    for (const word of argv.filter((each) => each.startsWith('--') && !begin.includes(each))) {
      assert.ok(names.includes(word.split('=')[0]!), word)
    }
  })
})

test('an unknown flag at any place of an allowed command is refused', () => {
  const unknown = ['--unknown', '--unknown=x', '--output=x', '-?', '-%x', '--exec', '-o=x', '-']
  const below = chance(9)
  forCommands((argv, grammar, preset) => {
    const flag = unknown[below(unknown.length)]!
    for (let at = 1; at <= argv.length; at += 1) {
      const longer = [...argv.slice(0, at), flag, ...argv.slice(at)]
      const found = presetAnswer(longer, PRESET_NAMES)
      assert.equal(found.type, 'refused', `${preset}: ${longer.join(' ')}`)
    }
    if (!grammar.endOfFlags) return
    const ended = [...argv, '--', flag]
    assert.equal(presetAnswer(ended, [preset]).type, 'refused', ended.join(' '))
  })
})

test('a long flag that is cut short is never allowed, with a value and without one', () => {
  for (const { name, grammar } of grammars) {
    const flags = flagsOf(grammar)
    for (const flag of [...flags.keys()].filter((each) => each.startsWith('--'))) {
      for (let length = 3; length < flag.length; length += 1) {
        const short = flag.slice(0, length)
        if (flags.has(short)) continue
        for (const word of [short, `${short}=x`]) {
          const argv = [...grammar.begins[0]!.split(' '), word]
          assert.equal(presetAnswer(argv, [name]).type, 'refused', argv.join(' '))
        }
      }
    }
  }
})

test('every word of an allowed command that could lead out of the workspace, and is no data, is named as a place', () => {
  forCommands((argv, grammar, preset) => {
    const found = presetAnswer(argv, [preset])
    assert.ok(found.type === 'allowed')
    const kinds = grammar.operands?.map(({ kind }) => kind) ?? []
    const arePlaces = kinds.every((kind) => ['revision', 'path', 'file', 'written', 'test'].includes(kind))
    if (!arePlaces || grammar.expression) return
    const flags = argv.findLastIndex((word) => word.startsWith('-'))
    // Behind the last flag and its value there are only operands.
    const operands = argv.slice(flags + 2).filter((word) => word.startsWith('/') || word.startsWith('..'))
    const named = found.paths.map(({ word }) => word)
    for (const word of operands) assert.ok(named.includes(word), `${preset}: ${argv.join(' ')}`)
  })
})

test('a free prefix has the presets that could take its place', () => {
  assert.deepEqual(
    ['git', 'git log', 'git lo', 'find', 'python3', 'make'].map((prefix) => presetsInstead(prefix.split(' '))),
    [['search', 'git-read', 'git-write'], ['git-read'], [], ['search'], ['python-test'], []],
  )
})

test('each preset says what it allows and what it does not stop, and no command is in it twice', () => {
  assert.match(PRESETS_CHECKED, /^\d{4}-\d{2}-\d{2}$/)
  for (const { name, allows, leaves, commands } of commandPresets) {
    assert.match(name, /^[a-z]+(?:-[a-z]+)*$/)
    for (const sentence of [allows, leaves]) assert.match(sentence, /^[A-Z].*\.$/)
    const begins = commands.flatMap((command) => command.begins)
    assert.equal(new Set(begins).size, begins.length, name)
    assert.ok(presetBeginnings(name).every((words) => words.length > 0))
    for (const grammar of commands) {
      const names = Object.keys(grammar.flags).flatMap((each) => each.split(' '))
      assert.equal(new Set(names).size, names.length, `${name}: ${grammar.begins.join(', ')}`)
    }
  }
})
