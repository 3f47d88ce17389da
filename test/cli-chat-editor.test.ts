import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { RuntimeError } from '../src/capability.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { servedConnection } from './cli/served-connection.ts'
import { virtualTerminal } from './cli/virtual-terminal.ts'
import { echo, failing, scriptedRuntime, type Script, withApproval } from './server/scripted-runtime.ts'

/** A person in a chat on a terminal of so many columns, and a gateway in memory. */
async function chatting(
  t: TestContext,
  {
    columns = 100,
    script = echo,
    home = temporaryHome(t).home,
    environment = {},
    options = [] as readonly string[],
  } = {},
) {
  const runtime = scriptedRuntime({ script })
  const screen = virtualTerminal(columns)
  const connection = servedConnection(runtime, 'running')
  let interrupt: (signal?: NodeJS.Signals) => void = () => {}
  const left: number[] = []
  const chat = run(['chat', '--home', home, ...options], {
    connection,
    editor: screen,
    environment,
    exit: (code) => void left.push(code),
    onInterrupt(listener) {
      interrupt = listener
      return () => {}
    },
  })
  await screen.until(/tokens|\d\/1/)
  const sent = () => runtime.submitted.map(({ text }) => text)
  return { runtime, screen, chat, sent, home, left, end: (signal: NodeJS.Signals) => interrupt(signal) }
}

/** A turn that says something, and goes on when it is told to. */
function waiting() {
  const goOn = Promise.withResolvers<void>()
  const script: Script = async (turn) => {
    if (turn.said !== 'wait') return await echo(turn)
    turn.append(
      { type: 'turn-start', turn: turn.turn },
      { type: 'assembly', turn: turn.turn, call: `call-${turn.turn}` },
    )
    turn.text('Once upon ')
    await goOn.promise
    turn.text('a time')
    const message = { role: 'assistant', content: 'Once upon a time' } as const
    const tokens = { counter: 'chars@1', full: 1, least: 1 }
    turn.append(
      { type: 'message', turn: turn.turn, call: `call-${turn.turn}`, message, tokens },
      { type: 'turn-end', turn: turn.turn, outcome: { type: 'completed' } },
    )
  }
  return { script, goOn: () => goOn.resolve() }
}

for (const columns of [40, 120]) {
  test(`at ${columns} columns three pasted lines are one message, sent as it is shown`, async (t) => {
    const { screen, chat, sent } = await chatting(t, { columns })
    screen.paste('first line\r\n\tsecond \u001B[31mred\u001B[0m\u0007\r\nthird 日本語 👩‍👩‍👧')
    assert.match(await screen.until(/third 日本語/), /first line\n⇥second red\nthird 日本語/)
    screen.type('\r')
    await screen.until(/You said: first line/)
    assert.deepEqual(sent(), ['first line\n\tsecond red\nthird 日本語 👩‍👩‍👧'])
    const said = await screen.until(/> first line/, { scrollback: true })
    assert.match(said, /> first line\n +second red\n {2}third 日本語/)
    screen.type('\u0004')
    assert.equal((await chat).code, 0)
    assert.ok(screen.written().includes('\u001B[?2004l'))
    assert.ok(screen.written().lastIndexOf('\u001B[?25h') > screen.written().lastIndexOf('\u001B[?25l'))
  })
}

test('with NO_COLOR there are no colours, and a failed turn is reported above the editor', async (t) => {
  const script = failing('auth', 'The key is not valid.')
  const { screen, chat } = await chatting(t, { script, environment: { NO_COLOR: '1' } })
  screen.type('hello\r')
  await screen.until(/> hello\nauth: The key is not valid\.\n {2}The message is kept\. .*\n─/)
  screen.type('\u0004')
  assert.equal((await chat).code, 0)
  // The cursor of the editor is drawn inverse; nothing else has a look.
  const looks = screen
    .written()
    .split('\u001B[')
    .filter((text) => /^(?!0m|7m)[\d;]*m/.test(text))
  assert.deepEqual(looks, [])
})

test('a large paste loses nothing', async (t) => {
  const { screen, chat, sent } = await chatting(t)
  const text = Array.from({ length: 5_000 }, (_, line) => `${line}: ${'x'.repeat(40)} é日`).join('\n')
  screen.type('look: ')
  screen.paste(text)
  await screen.until(/look: \[paste #1 \+5000 lines\]/)
  screen.type('\r')
  await screen.until(/You said: look: 0: x+/, { scrollback: true })
  assert.deepEqual(sent(), [`look: ${text}`])
  screen.type('\u0004')
  await chat
})

test('a message has several lines, and is sent with the blanks it has', async (t) => {
  const { screen, chat, sent } = await chatting(t)
  screen.type('  one\\\rtwo\u001B\rthree\u001B[13;2u four ')
  await screen.until(/ {2}one\ntwo\nthree\n four/)
  screen.type('\r')
  await screen.until(/You said/)
  assert.deepEqual(sent(), ['  one\ntwo\nthree\n four '])
  screen.type('\u0004')
  await chat
})

test('an answer is rendered, and as the model wrote it with --raw', async (t) => {
  const rendered = await chatting(t)
  rendered.screen.type('**bold** and a `code`\r')
  await rendered.screen.until(/\n(?:.*\n)*You said: bold and a code/)
  rendered.screen.type('\u0004')
  await rendered.chat
  const raw = await chatting(t, { options: ['--raw'] })
  raw.screen.type('**bold** and a `code`\r')
  await raw.screen.until(/You said: \*\*bold\*\* and a `code`/)
  raw.screen.type('\u0004')
  await raw.chat
})

test('Up leaves the cursor behind an earlier message, so that what is typed next continues it', async (t) => {
  const { screen, chat, sent } = await chatting(t)
  screen.type('one\\\rtwo\r')
  await screen.until(/You said: one/)
  screen.type('\u001B[A, three\r')
  await screen.until(/two, three[^]*You said: one/)
  assert.deepEqual(sent(), ['one\ntwo', 'one\ntwo, three'])
  screen.type('\u0004')
  await chat
})

test('what is typed while an answer comes is queued, shown, taken back and sent in its order', async (t) => {
  const { script, goOn } = waiting()
  const { screen, chat, sent } = await chatting(t, { script })
  screen.type('wait\r')
  await screen.until(/Once upon/)
  screen.type('second\rthird\rdraft')
  const seen = await screen.until(/draft/)
  assert.match(
    seen,
    /Once upon\nThe model is answering.*\nqueued: second\nqueued: third\nUp edits the last one\.\n─+\ndraft/,
  )
  screen.type('\u0015\u001B[A')
  await screen.until(/queued: second\nUp edits it\.\n─+\nthird/)
  screen.type(' and last\r')
  await screen.until(/queued: third and last/)
  assert.deepEqual(sent(), ['wait'])
  goOn()
  const said = await screen.until(/You said: third and last/)
  assert.match(said, /Once upon a time\n> second\nYou said: second\n> third and last\nYou said: third and last/)
  assert.deepEqual(sent(), ['wait', 'second', 'third and last'])
  screen.type('\u0004')
  await chat
})

test('a command that only looks is done at once, breaks into no line of an answer and lets nothing go that is held', async (t) => {
  const { script, goOn } = waiting()
  const { screen, chat, sent } = await chatting(t, { script })
  screen.type('wait\r')
  await screen.until(/Once upon/)
  screen.type('/help\r')
  assert.match(await screen.until(/\(also \/quit\)/), /\(also \/quit\)\nOnce upon\nThe model is answering/)
  screen.type('/sesions\r')
  assert.match(await screen.until(/Did you mean/), /Unknown command "\/sesions"[^]*Once upon\nThe model is answering/)
  screen.type('\u0015behind it\r')
  await screen.until(/queued: behind it/)
  screen.type('\u0003')
  await screen.until(/held: behind it/)
  screen.type('/sessions\r')
  assert.match(await screen.until(/last activity[^]*\n\* session/), /held: behind it/)
  assert.deepEqual(sent(), ['wait'])
  goOn()
  screen.type('\u0004')
  await chat
})

test('Ctrl-C stops the turn and holds what is queued, a second one leaves and keeps what was written', async (t) => {
  const { script } = waiting()
  const { screen, chat, sent, home, left } = await chatting(t, { script })
  screen.type('wait\r')
  await screen.until(/Once upon/)
  screen.type('second\r')
  await screen.until(/queued: second/)
  screen.type('\u0003')
  await screen.until(/\(cancelled\)[^]*held: second\nEnter sends it\. Up edits it/)
  screen.type('\r')
  await screen.until(/You said: second/)
  assert.deepEqual(sent(), ['wait', 'second'])
  screen.type('a draft\u0003')
  await screen.until(/The field is empty now\. Up brings back what was in it\./)
  screen.type('\u001B[A')
  await screen.until(/─\na draft\n─/)
  screen.type('\u0003')
  screen.type('\u0003')
  await screen.until(/Press Ctrl-C again to leave/)
  screen.type('\u0003')
  await chat
  assert.deepEqual(left, [130])
  assert.match(readFileSync(join(home, 'data', 'chat-history'), 'utf8'), /a draft\n$/)
})

test('a message that the gateway does not accept comes back into the editor, and what is queued is held', async (t) => {
  const { runtime, screen, chat } = await chatting(t)
  const submit = runtime.submit
  runtime.submit = () => Promise.reject(new RuntimeError('storage-full', 'The disk is full.'))
  screen.type('hello\rsecond\r')
  await screen.until(/> hello\nstorage-full: The disk is full\.\nheld: second\nEnter sends it.*\n─+\nhello\n─/)
  runtime.submit = submit
  screen.type(' again\r')
  await screen.until(/You said: second\n> hello again\nYou said: hello again/)
  screen.type('\u0004')
  await chat
})

test('a request to end gives the terminal back and says what was not sent', async (t) => {
  const { script } = waiting()
  const { screen, chat, end } = await chatting(t, { script })
  screen.type('wait\r')
  await screen.until(/Once upon/)
  screen.type('second\r')
  await screen.until(/queued: second/)
  end('SIGTERM')
  assert.equal((await chat).code, 143)
  assert.match(
    await screen.until(/Continue with .*\.$/),
    /Once upon\nNot sent: second\nThe running turn continues\. .*\nContinue with `foreword chat --session session-1`\.$/,
  )
  assert.ok(screen.written().includes('\u001B[?2004l'))
})

test('a call is approved with one key, and what was meant for a message is not an answer', async (t) => {
  const { runtime, screen, chat } = await chatting(t, { columns: 40, script: withApproval })
  screen.type('write it\ry')
  await screen.until(/deny:\nPress Esc to answer\.\n─+\ny\n/)
  screen.type('\u0015\u001B')
  await screen.until(/deny:\n\?\n/)
  screen.type('you know')
  await screen.until(/Press Esc to answer\.\n─+\nyou know/)
  assert.equal((await runtime.approvals()).length, 1)
  screen.type('\u001B')
  await screen.until(/deny:\n\?/)
  screen.type('y')
  await screen.until(/Done\./)
  assert.match(await screen.until(/you know/), /─+\nyou know\s*\n─+/)
  screen.type('\u0015\u0004')
  await chat
})

test('a question that is left with Ctrl-D stays undecided, and its turn is kept', async (t) => {
  const { runtime, screen, chat } = await chatting(t, { script: withApproval })
  screen.type('write it\r')
  await screen.until(/deny:\n\?\n/)
  screen.type('\u0004')
  assert.equal((await chat).code, 3)
  await screen.until(
    /write_file waits for your approval\. The turn is kept. Continue it\s+with\s+`foreword approve approval-1`\./,
    { scrollback: true },
  )
  assert.equal((await runtime.approvals()).length, 1)
})

test('@ completes a file of the working directory, says what goes along, and sends the text as it is', async (t) => {
  const { screen, chat, sent, runtime } = await chatting(t)
  screen.type('see @tsconfig.b')
  await screen.until(/→ tsconfig\.build\.json/)
  screen.type('\t')
  await screen.until(/attaches tsconfig\.build\.json \(\d+ B\)/)
  screen.type('and @nothing.here, @/etc/hostname\r')
  await screen.until(/You said: see/)
  assert.deepEqual(sent(), ['see @tsconfig.build.json and @nothing.here, @/etc/hostname'])
  assert.equal(runtime.submitted[0]!.attachments?.length, 1)
  await screen.until(/> see [^]*\n {2}with tsconfig\.build\.json/)
  screen.type('\u0004')
  await chat
})

test('a command that is not known comes back into the editor, and Enter in an open list completes and runs nothing', async (t) => {
  const { screen, chat, sent } = await chatting(t)
  screen.type('/contxt\r')
  await screen.until(
    /Unknown command "\/contxt"\. The line was not sent\.\n {2}Did you mean \/context\?[^]*─\n\/contxt\n/,
  )
  screen.type('\u0015/und')
  await screen.until(/→ \/undo/)
  screen.type('\r')
  await screen.until(/─\n\/undo\s*\n─/)
  screen.type('\r')
  await screen.until(/This session has no turn to undo/)
  screen.type('\u0015hello\r')
  await screen.until(/You said: hello/)
  screen.type('/undo\r')
  await screen.until(/Undone: hello/)
  assert.deepEqual(sent(), ['hello'])
  screen.type('/exit\r')
  assert.equal((await chat).code, 0)
})

test('messages of earlier chats are found again with Ctrl-R, several lines of them too', async (t) => {
  const first = await chatting(t)
  first.screen.paste('the mast\nis broken')
  first.screen.type('\r')
  await first.screen.until(/You said: the mast/)
  first.screen.type('hello\r')
  await first.screen.until(/You said: hello/)
  first.screen.type('\u0004')
  await first.chat
  const { screen, chat } = await chatting(t, { home: first.home })
  screen.type('\u0012')
  await screen.until(/› hello/)
  screen.type('BROKEN mast')
  await screen.until(/› the mast is broken/)
  screen.type('\r')
  await screen.until(/─\nthe mast\nis broken\n─/)
  screen.type('\u0003\u0003\u0003')
  await chat
})

test('a resize keeps everything that was said, and draws the editor once', async (t) => {
  const { screen, chat } = await chatting(t, { columns: 100 })
  for (let n = 1; n <= 12; n += 1) {
    screen.type(`number ${n}\r`)
    await screen.until(new RegExp(`You said: number ${n}\\n`))
  }
  screen.type('a draft')
  await screen.until(/a draft/)
  screen.resize(40, 20)
  await screen.until(/a draft\n─{40}\n/)
  screen.resize(120, 30)
  await screen.until(/a draft\n─{120}\n/)
  const said = await screen.until(/a draft/, { scrollback: true })
  for (let n = 1; n <= 12; n += 1) assert.equal(said.split(`> number ${n}\n`).length, 2, `number ${n} in ${said}`)
  assert.equal(said.split('a draft').length, 2, said)
  screen.type('\u0015\u0004')
  await chat
})
