import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

const foreword = join(import.meta.dirname, '..', 'bin', 'foreword.js')

/** How often a pane is looked at, every 50 ms, before what is seen instead is told. */
const LOOKS = 1_200

/** The program itself in a pane of tmux, with a person at the keys. */
function pane(t: TestContext, columns: number) {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-tmux-'))
  const socket = `foreword-${process.pid}-${columns}`
  const tmux = (...args: string[]) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' })
  t.after(() => {
    spawnSync('tmux', ['-L', socket, 'kill-server'])
    rmSync(folder, { recursive: true, force: true })
  })
  writeFileSync(join(folder, 'notes.txt'), 'the mast is broken\n')
  const chat = `'${process.execPath}' --conditions=foreword-source '${foreword}' chat --home '${join(folder, 'home')}'`
  const command = `cd '${folder}' && LANG=C.UTF-8 ${chat}; echo "ended with $?"; stty -a; cat`
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'chat', '-x', String(columns), '-y', '30', command)
  return {
    keys: (...keys: string[]) => tmux('send-keys', '-t', 'chat', ...keys),
    type: (text: string) => tmux('send-keys', '-t', 'chat', '-l', text),
    paste(text: string) {
      tmux('set-buffer', text)
      tmux('paste-buffer', '-p', '-r', '-t', 'chat')
    },
    resize: (width: number) => tmux('resize-window', '-t', 'chat', '-x', String(width), '-y', '30'),
    /** The processes of the pane, the shell's children. */
    end: () => spawnSync('pkill', ['-TERM', '-P', tmux('display', '-p', '-t', 'chat', '#{pane_pid}').trim()]),
    /** What is seen, once it fits. Lines that tmux wrapped are one. */
    async until(pattern: RegExp): Promise<string> {
      for (let looks = 0; ; looks += 1) {
        const seen = tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 'chat').replaceAll(/ +$/gm, '').trimEnd()
        if (pattern.test(seen)) return seen
        assert.ok(looks < LOOKS, `${pattern.source} was not seen in:\n${seen}`)
        await delay(50)
      }
    },
  }
}

test('tmux is there', () => {
  const { error } = spawnSync('tmux', ['-V'])
  assert.equal(error, undefined, 'these tests drive the chat under tmux: install it (`apt-get install tmux`)')
})

for (const columns of [40, 120]) {
  test(`a person talks under tmux at ${columns} columns`, async (t) => {
    const chat = pane(t, columns)
    await chat.until(/rehearsal · /)
    chat.paste('first line\n\tsecond 日本語\nthird 👩‍👩‍👧 line')
    await chat.until(/first line\n⇥second 日本語\nthird 👩‍👩‍👧 line\n─+\nrehearsal/)
    chat.keys('Enter')
    const said = await chat.until(/- This turn, \d+ tokens\n─/)
    assert.match(said, /> first line\n +second 日本語\n {2}third 👩‍👩‍👧 line\nThis is a rehearsal/)

    chat.paste(`/slow 20\n/say ${'word '.repeat(400)}`)
    chat.keys('Enter')
    await chat.until(/word word[^]*The model is answering/)
    chat.type('see @no')
    await chat.until(/→ notes\.txt/)
    chat.keys('Tab')
    await chat.until(/attaches notes\.txt \(19 B\)/)
    chat.keys('Enter')
    await chat.until(/queued: see @notes\.txt\nUp edits it\./)
    chat.keys('C-c')
    await chat.until(/\(cancelled\)\nheld: see @notes\.txt/)
    chat.resize(columns === 40 ? 60 : 80)
    await chat.until(new RegExp(`held: see @notes\\.txt\n[^]*\n─{${columns === 40 ? 60 : 80}}\n`))
    chat.keys('Enter')
    const attached = await chat.until(
      /> see @notes\.txt\n {2}with notes\.txt\nThis is a rehearsal[^]*- This turn, \d+ tokens: notes\.txt\n─/,
    )
    assert.equal(attached.split('> first line').length, 2)
    assert.equal(attached.split('held: see').length, 1)

    chat.type('/undo')
    chat.keys('Enter')
    await chat.until(/Undone: see @notes\.txt/)
    chat.type('/context')
    chat.keys('Enter')
    await chat.until(/omitted\s+(why: )?undone/)
    chat.keys('C-r')
    chat.type('third')
    await chat.until(/search: third\n› first line second 日本語/)
    chat.keys('Escape')
    await chat.until(/─\n\n─+\nrehearsal/)
    chat.keys('C-d')
    const left = await chat.until(/ended with 0\n[^]*-?icanon/)
    assert.match(left, /Continue with\s`foreword chat --session session_\w+`\.\nended with 0\n/)
    assert.match(left, / icanon/)
    assert.match(left, / echo /)
  })
}

test('a chat that is ended by a signal gives the terminal back', async (t) => {
  const chat = pane(t, 80)
  await chat.until(/rehearsal · /)
  chat.type('a draft')
  await chat.until(/a draft/)
  chat.end()
  const left = await chat.until(/ended with 143\n[^]*-?icanon/)
  assert.match(left, / icanon/)
  assert.match(left, / echo /)
})
