import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mailboxChannel } from '../../examples/own-channel/mailbox-channel.ts'
import { channelCases, type ChannelFixture } from '../../src/testing.ts'

channelCases(test, mailboxPlace)

async function mailboxPlace(): Promise<ChannelFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-mailbox-'))
  const longest = 200
  let numbers = 1_000
  return {
    longest,
    open: async () => ({
      channel: mailboxChannel({ folder, everyMs: 10, longest }),
      async send(conversation, text, { update = ++numbers } = {}) {
        const file = await letter(conversation, `${update}.txt`, text, update)
        while (await stat(file).catch(() => undefined)) await sleep(5)
      },
      sentMessages: (conversation) => replies(conversation),
      async pair(conversation, pairings) {
        const { code } = await pairings.newCode('mailbox')
        const before = (await replies(conversation)).length
        await letter(conversation, `code-${code}.txt`, `/pair ${code}\n`, ++numbers)
        while ((await replies(conversation)).length === before) await sleep(5)
      },
      close: async () => {},
    }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }

  /** It comes whole, and at the same time where it comes again. */
  async function letter(conversation: string, name: string, text: string, seconds: number): Promise<string> {
    await mkdir(join(folder, conversation, 'in'), { recursive: true })
    const file = join(folder, conversation, 'in', name)
    await writeFile(`${file}.new`, text)
    await utimes(`${file}.new`, seconds, seconds)
    await rename(`${file}.new`, file)
    return file
  }

  async function replies(conversation: string): Promise<readonly string[]> {
    const out = join(folder, conversation, 'out')
    const names = (await readdir(out).catch(() => [])).filter((name) => name.endsWith('.txt'))
    const written = await Promise.all(
      names.map(async (name) => ({
        time: (await stat(join(out, name), { bigint: true })).mtimeNs,
        text: await readFile(join(out, name), 'utf8'),
      })),
    )
    return written.toSorted((one, other) => Number(one.time - other.time)).map(({ text }) => text)
  }
}
