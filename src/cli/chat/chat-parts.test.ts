import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate as immediately } from 'node:timers/promises'
import { costText } from '../../capability.ts'
import { addToHistory, readHistory } from './chat-history.ts'
import { messageCompletion, workingFiles } from './completion.ts'
import { decodeFromEditor, encodeForEditor, createQuestion } from './composer.ts'
import { findMentionedFiles, statusText } from './talk-in-editor.ts'
import { createMessageQueue } from './message-queue.ts'
import { createTranscript, createRowWrapper } from './screen.ts'

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'foreword-chat-'))
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('a message names files of the working directory alone, each once', (t) => {
  const outside = folder(t)
  writeFileSync(join(outside, 'key'), 'secret')
  const directory = folder(t)
  mkdirSync(join(directory, 'my notes'))
  for (const name of ['a.txt', 'my notes/b.md', '日本.txt']) writeFileSync(join(directory, name), 'x')
  symlinkSync(join(outside, 'key'), join(directory, 'link'))
  const names = (text: string) => findMentionedFiles(text, directory).map(({ name }) => name)
  assert.deepEqual(names('see @a.txt, (@"my notes/b.md") and @a.txt.\n@日本.txt、'), [
    'a.txt',
    'my notes/b.md',
    '日本.txt',
  ])
  assert.deepEqual(names('me@a.txt @link @../key @my @nothing @ @"" @./a.txt'), ['./a.txt'])
  assert.deepEqual(names(`@${join(outside, 'key')} @${join(directory, 'a.txt')}`), [])
})

test('a file is offered where a mention can hold its name, on one line, and is what the mention then names', async (t) => {
  const directory = folder(t)
  for (const name of [
    'a b(1).txt',
    "it's.txt",
    'a"quote.txt',
    'two\nlines.txt',
    'red\u001B[31m.txt',
    'tab\there.txt',
  ]) {
    writeFileSync(join(directory, name), 'x')
  }
  const files = messageCompletion([], directory)
  const found = await files.getSuggestions(['@'], 0, 1, { signal: new AbortController().signal })
  assert.deepEqual(found?.items.map(({ label }) => label).toSorted(), ['a b(1).txt', "it's.txt", 'tab\\there.txt'])
  for (const item of found.items) {
    const { lines } = files.applyCompletion(['@'], 0, 1, item, '@')
    assert.deepEqual(
      findMentionedFiles(lines[0]!, directory).map(({ name }) => name),
      [item.value],
    )
  }
})

test('files are offered from the nearest on, without hidden ones and installed packages', (t) => {
  const directory = folder(t)
  for (const path of ['deep/deeper', '.git', 'node_modules/x']) mkdirSync(join(directory, path), { recursive: true })
  for (const path of ['z', 'deep/a', 'deep/deeper/a', '.git/config', 'node_modules/x/y']) {
    writeFileSync(join(directory, path), '')
  }
  assert.deepEqual(workingFiles(directory), ['z', 'deep/a', 'deep/deeper/a'])
  assert.deepEqual(workingFiles(join(directory, 'gone')), [])
})

test('a paste loses its control characters and keeps its tabs', () => {
  const pasted = 'a\tb\r\nc\rd\u001B]52;c;Zm9v\u0007\u001B[31me\u001B[0m\u0000\u009B\u007F\u001B[106;5uf'
  assert.equal(decodeFromEditor(encodeForEditor(pasted)), 'a\tb\nc\nde\nf')
})

test('the status line leaves out what matters least until it fits', () => {
  const io = { environment: {} }
  const status = { model: 'a/model', used: 2_500, window: 10_000, reserve: 2_000, money: 0.0123, turnMoney: 0.0021 }
  assert.equal(
    statusText(status, 120, io),
    'a/model · █████░░░░░░░░░░░▒▒▒▒ 2,500 of 10,000 tokens · 2,000 for the answer · last turn $0.0021 · session $0.0123',
  )
  assert.equal(statusText(status, 75, io), 'a/model · ███░░░░░▒▒ 2.5k/10k · last turn $0.0021 · session $0.0123')
  assert.equal(statusText(status, 40, io), 'a/model · ███░░░░░▒▒ 2.5k/10k · $0.0123')
  // As `calls`, `costs` and `/cost` write the same money.
  const paid = { calls: 1, prompt: 639, output: 20, silent: 0, money: 0.0006585 }
  assert.match(statusText({ ...status, money: paid.money }, 120, io), /session \$0\.00066$/)
  assert.match(costText(paid), /\n\$0\.00066$/)
  assert.equal(statusText(status, 20, io), 'a/model · 2.5k/10k')
  const own = { model: 'own/model', used: 500, window: 10_000 }
  assert.match(statusText({ ...own, free: true, turnMoney: 0 }, 75, io), / tokens · free$/)
  assert.match(statusText({ ...own, free: true, money: 0.01 }, 75, io), / tokens · \$0\.010*$/)
  assert.equal(statusText({ model: 'a/very/long/model' }, 10, io), 'a/very/lo…')
  for (let columns = 1; columns < 130; columns++) assert.ok(statusText(status, columns, io).length <= columns)
})

test('a closed transcript ends its line and shows only what is written aside', () => {
  const lines: string[] = []
  const { output, aside, unfinished, close } = createTranscript({
    onLines: (text) => void lines.push(text),
    onChange: () => {},
    columns: () => 80,
  })
  output.write('Once upon')
  aside.write('beside it\n')
  assert.deepEqual([lines, unfinished()], [['beside it\n'], 'Once upon'])
  close()
  output.write(' a time\n')
  aside.write('the end\n')
  assert.deepEqual(lines, ['beside it\n', 'Once upon\n', 'the end\n'])
})

test('complete lines leave the transcript at once, a style continues in the next line, and progress is erased', () => {
  const lines: string[] = []
  const { output, unfinished, finish } = createTranscript({
    onLines: (said) => lines.push(said),
    onChange() {},
    columns: () => 80,
  })
  output.write('one\ntw')
  assert.deepEqual([lines, unfinished()], [['one\n'], 'tw'])
  output.write('o\n\u001B[2mdim\nstill')
  assert.deepEqual([lines.at(-1), unfinished()], ['two\n\u001B[2mdim\u001B[0m\n', '\u001B[2mstill'])
  output.write('\u001B[22m')
  finish()
  output.write('\r\u001B[2Ksending 10 %\r\u001B[2Ksending 20 %\r\u001B[2K')
  assert.equal(unfinished(), '')
  output.write('done\n')
  assert.equal(lines.at(-1), 'done\n')
})

test('a queue gives messages in order, waits while it is held, and ends', async () => {
  const queue = createMessageQueue()
  queue.add('one')
  queue.add('two')
  queue.add('three')
  assert.equal(await queue.next(), 'one')
  assert.equal(queue.takeBack(), 'three')
  queue.hold()
  const next = queue.next()
  const held = new Promise((resolve) => setImmediate(resolve, 'held'))
  assert.deepEqual([queue.held(), await Promise.race([next, held])], [true, 'held'])
  queue.release()
  assert.equal(await next, 'two')
  queue.add('four')
  queue.hold()
  assert.equal(queue.takeBack(), 'four')
  assert.equal(queue.held(), false, 'nothing is left that could be held')
  queue.end()
  assert.equal(await queue.next(), undefined)
})

test('a question is answered with one key or a word and Enter, and what cannot become an answer goes back', async () => {
  const answered: string[] = []
  const asked = () =>
    createQuestion({
      text: 'Run it?',
      answers: ['y', 'n', 'always'],
      onAnswer: (text) => answered.push(text),
      dim: String,
    })
  const type = (keys: readonly string[], to = asked()) => keys.map((key) => to.handle(key)).findLast(Boolean)
  assert.deepEqual([type(['y', '\r']), answered], [undefined, ['y']])
  assert.deepEqual([type(['a', 'l', '\r']), answered], [undefined, ['y']])
  const other = asked()
  assert.deepEqual([type(['a', 'n'], other), other.focused, answered], ['an', false, ['y']])
  await immediately()
  answered.length = 0
  type(['Y'])
  assert.deepEqual([type(['y', 'a']), answered], ['ya', []], 'more may follow at once')
  await immediately()
  assert.deepEqual(answered, ['Y'])
})

test('a history is read line by line, and messages of several lines are kept', (t) => {
  const home = folder(t)
  mkdirSync(join(home, 'data'))
  writeFileSync(join(home, 'data', 'chat-history'), 'old line\n"quoted"\n')
  addToHistory(home, 'two\nlines')
  addToHistory(home, 'old line')
  assert.deepEqual(readHistory(home), ['"quoted"', 'two\nlines', 'old line'])
})

test('a growing line is wrapped by cells, and its style continues in the next row', () => {
  const rowsOf = createRowWrapper()
  assert.deepEqual(rowsOf('', 5), [])
  assert.deepEqual(rowsOf('abc', 5), ['abc'])
  assert.deepEqual(rowsOf('abcdefg', 5), ['abcde', 'fg'])
  assert.deepEqual(rowsOf('abcdefg日本', 5), ['abcde', 'fg日', '本'])
  assert.deepEqual(rowsOf('abcdefg日本', 6), ['abcdef', 'g日本'])
  assert.deepEqual(rowsOf('\u001B[2mdim words', 5), ['\u001B[2mdim w', '\u001B[2mords'])
  assert.deepEqual(rowsOf('\u001B[2mdim words\u001B[22m', 5), ['\u001B[2mdim w', '\u001B[2mords\u001B[22m'])
  const grows = createRowWrapper()
  const long = '日a👩‍👩‍👧bé '.repeat(50)
  for (let end = 0; end <= long.length; end += 7) {
    assert.deepEqual(grows(long.slice(0, end), 9), createRowWrapper()(long.slice(0, end), 9))
  }
})
