import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import test from 'node:test'
import type { Io } from '../src/capability.ts'
import { applyStyle, note, print } from '../src/cli.ts'
import { openStore } from '../src/session.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'
import { storePath } from './cli/store-path.ts'
import { skillText } from './skills/folder-with.ts'
import { systemClock } from '../src/platform.ts'

/** Names a window, rings, clears the screen, sets the clipboard, turns the direction of reading, and hides what follows. */
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u001b]52;c;eA==\u0007\u009b31m\u202etxt.exe\u2066\u001b[8m\u001b[30m'

// oxlint-disable-next-line no-control-regex -- these are what must not be there
const ACTIVE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

test('no title, name or text of others can control a terminal, whatever command prints it', async (t) => {
  const { home, environment } = temporaryHome(t)
  const options = { environment, terminal: true }
  const ask = async (...argv: readonly string[]) => {
    const { stdout, stderr } = await run(argv, options)
    // What draws the unfinished block of an answer again moves the cursor; no text of others can hold such a character.
    // oxlint-disable-next-line no-control-regex -- the sequences of the terminal
    return stdout.replaceAll(/(?:\u001B\[\d+A)?\r\u001B\[J/g, '') + stderr
  }
  mkdirSync(join(home, 'skills', 'alpha'), { recursive: true })
  writeFileSync(
    join(home, 'skills', 'alpha', 'SKILL.md'),
    skillText(`name: alpha\ndescription: ${JSON.stringify(HOSTILE)}`, HOSTILE),
  )
  await run(['send', `/say ${HOSTILE}`], { environment })
  const store = await openStore({ clock: systemClock, path: storePath(home) })
  const [session] = await store.sessions({ limit: 1 })
  const id = session!.id
  const [call] = await store.calls(id)
  await store.close()
  const printed: string[] = []
  for (const argv of [
    ['sessions', 'rename', id, HOSTILE],
    ['sessions'],
    ['sessions', 'show', id],
    ['search', '--history', 'owned'],
    ['context', HOSTILE],
    ['calls', id],
    ['calls', id, call!.id],
    ['request', call!.id],
    ['request', call!.id, '--pretty'],
    ['schedule', 'show', HOSTILE],
    ['skills'],
    ['skills', 'show', 'alpha'],
    ['skills', 'check'],
    ['tools'],
    ['send', '--session', id, `/say ${HOSTILE}`],
    ['sessions', HOSTILE],
    ['approve', HOSTILE],
    ['agents', 'new', HOSTILE],
    ['agents'],
    ['projects', 'new', HOSTILE],
    ['projects'],
    [HOSTILE],
  ]) {
    const text = await ask(...argv)
    assert.doesNotMatch(text, ACTIVE, JSON.stringify([argv, text]))
    printed.push(text)
  }
  assert.ok(printed[1]!.includes(String.raw`\u{202e}txt.exe`), 'the title is shown as it is')
  assert.ok(printed[2]!.includes(String.raw`\u{1b}]0;owned\u{7}`), printed[2]!)
  // A pipe gets every character of a title.
  assert.ok((await run(['sessions'], { environment })).stdout.includes('\u202e'))
})

test('what a command forgets is written out when it is printed, and its looks stay', () => {
  const output = (isTTY: boolean) => {
    const written: string[] = []
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        written.push(chunk)
        done()
      },
    })
    return { written, stream: Object.assign(stream, { isTTY }) }
  }
  for (const [isTTY, shown] of [
    [true, String.raw`a\u{1b}]0;owned\u{7}\u{202e}b` + '\tc\n'],
    [false, 'a\u001b]0;owned\u0007\u202eb\tc\n'],
  ] as const) {
    const [stdout, stderr] = [output(isTTY), output(isTTY)]
    const io = {
      stdin: Readable.from([]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      environment: {},
    } as unknown as Io
    const text = applyStyle(io, 'bold', 'a\u001b]0;owned\u0007\u202eb\tc')
    print(io, text)
    note(io, text)
    const looks = isTTY ? shown.replace(/^(.*)\n$/s, '\u001b[1m$1\u001b[22m\n') : shown
    assert.deepEqual([stdout.written, stderr.written], [[looks], [looks]])
  }
})
