import assert from 'node:assert/strict'
import test from 'node:test'
import { array, assert as hold, property, string } from 'fast-check'
import { anyCharacter } from '../../../test/arbitrary/characters.ts'
import { commandWords } from './command-words.ts'

const readable: readonly (readonly [command: string, words: readonly string[]])[] = [
  ['git status', ['git', 'status']],
  ['  git\tstatus  -s ', ['git', 'status', '-s']],
  ['', []],
  [`echo 'a  b' "c d" e\\ f`, ['echo', 'a  b', 'c d', 'e f']],
  [`echo 'a'"b"c`, ['echo', 'abc']],
  [`echo '' ""`, ['echo', '', '']],
  [`echo '$HOME; * \`x\` "'`, ['echo', '$HOME; * `x` "']],
  [`echo "it's \\"so\\" \\$5 \\\\ \\n"`, ['echo', `it's "so" $5 \\ \\n`]],
  ['echo \\$HOME \\; \\* \\\\ \\😀', ['echo', '$HOME', ';', '*', '\\', '😀']],
  [`git commit -m 'one\ntwo'`, ['git', 'commit', '-m', 'one\ntwo']],
  ['git show HEAD~2 stash@{0} a#b', ['git', 'show', 'HEAD~2', 'stash@{0}', 'a#b']],
  ['find . -exec ls {} +', ['find', '.', '-exec', 'ls', '{}', '+']],
  ['make CC=gcc', ['make', 'CC=gcc']],
  ['echo "Done!" a]b %1 ^ = :', ['echo', 'Done!', 'a]b', '%1', '^', '=', ':']],
  ['git\u00a0status', ['git\u00a0status']],
]

for (const [command, words] of readable) {
  test(`${JSON.stringify(command)} reads as ${JSON.stringify(words)}`, () => {
    assert.deepEqual(commandWords(command), { type: 'words', words })
  })
}

const refused: readonly (readonly [command: string, named: string])[] = [
  ['ls; rm x', '; (one command after another)'],
  ['ls;rm', '; '],
  ['ls && rm x', '&& (one command after another)'],
  ['ls || rm x', '|| (one command or another)'],
  ['ls | sh', '| (a pipe)'],
  ['ls & rm', '& (running in the background)'],
  ['ls > x', '> (writing output to a file)'],
  ['ls 2>&1', '> (writing output to a file)'],
  ['ls >> x', '>> (writing output to a file)'],
  ['sh < x', '< (reading input from a file)'],
  ['sh << X', '<< (a text as input)'],
  ['ls $(id)', '$( (the output of a command)'],
  ['ls "$(id)"', '$( (the output of a command)'],
  ['ls `id`', '` (the output of a command)'],
  ['ls "`id`"', '` (the output of a command)'],
  ['ls $HOME', '$ (a variable)'],
  ['ls "a$HOME"', '$ (a variable)'],
  ['ls ${HOME}', '${ (a variable)'],
  ['ls *.ts', '* (a pattern of file names)'],
  ['ls a?', '? (a pattern of file names)'],
  ['ls [ab]', '[ (a pattern of file names)'],
  ['ls ~', "~ (somebody's home)"],
  ['ls ~root', "~ (somebody's home)"],
  ['ls a=~', "~ (somebody's home)"],
  ['ls {a,b}', '{ (a choice of words)'],
  ['ls x{1..3}', '{ (a choice of words)'],
  ['{ ls', '{ (a choice of words)'],
  ['ls }', '} (a group of commands)'],
  ['(ls)', '( (a group of commands)'],
  ['ls # all', '# (a comment)'],
  ['! ls', '! (negation or history)'],
  ['ls !$', '! (negation or history)'],
  ['ls\nrm x', 'a line break (one command after another)'],
  ['ls \\\nrm', 'a continued line'],
  ['ls "\\\n"', 'a continued line'],
  ['PATH=. ls', 'PATH= (setting a variable)'],
  ['A+=b ls', '(setting a variable)'],
]

for (const [command, named] of refused) {
  test(`${JSON.stringify(command)} is refused, and the refusal names what only a shell would understand`, () => {
    const read = commandWords(command)
    assert.equal(read.type, 'refused')
    assert.ok(
      'why' in read && read.why.startsWith('no shell runs here') && read.why.includes(named),
      JSON.stringify(read),
    )
  })
}

const unreadable: readonly (readonly [command: string, said: RegExp])[] = [
  [`echo 'a`, /single quote .* never closed/],
  [`echo "a`, /double quote .* never closed/],
  [`echo "a\\"`, /double quote .* never closed/],
  ['echo \\', /stands at the end/],
  ['echo a\0b', /NUL/],
  [`echo 'a\0b'`, /NUL/],
  ['echo \ud800', /half a character/],
]

for (const [command, said] of unreadable) {
  test(`${JSON.stringify(command)} is refused, and the refusal says what is wrong`, () => {
    const read = commandWords(command)
    assert.ok('why' in read && said.test(read.why), JSON.stringify(read))
  })
}

test('text in single quotes stays unchanged, as one word', () => {
  const text = string({ unit: anyCharacter }).filter((one) => !one.includes("'") && !one.includes('\0'))
  hold(
    property(array(text), (words) => {
      const command = words.map((word) => `'${word}'`).join(' ')
      assert.deepEqual(commandWords(command), { type: 'words', words })
    }),
  )
})
