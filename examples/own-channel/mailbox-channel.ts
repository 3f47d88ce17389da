import { type Channel, type ChannelContext, type Reply, RuntimeError } from 'foreword/capability'
import { makePrivateFolder, writeFileAtomically } from 'foreword/platform'
import { beginSession, newSessionReply, newSessionWords, outcomeNotice } from 'foreword/runtime'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface MailboxSettings {
  /** Every conversation is a folder in it: letters are read from `in`, replies are written to `out`. */
  readonly folder: string
  readonly everyMs: number
  /** The longest reply in one file, characters. */
  readonly longest: number
}

interface Letter {
  readonly conversation: string
  readonly text: string
}

const CHANNEL = 'mailbox'

/** Letters are files: one that is put into the folder `in` of a conversation is answered in its folder `out`. */
export function mailboxChannel({ folder, everyMs, longest }: MailboxSettings): Channel {
  const lines = new Map<string, Promise<void>>()
  let context: ChannelContext
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()

  async function look(): Promise<void> {
    for (const conversation of await namesIn(folder)) {
      const letters = (await namesIn(join(folder, conversation, 'in'))).filter((name) => name.endsWith('.txt'))
      for (const name of letters) await take(conversation, join(folder, conversation, 'in', name), name)
    }
  }

  /** The letter is on disk before its file goes: a crash in between hands it in again, under the same id. */
  async function take(conversation: string, file: string, name: string): Promise<void> {
    const { mtimeMs } = await stat(file)
    const id = `${conversation}/${name}/${mtimeMs}`
    const letter = { conversation, text: await readFile(file, 'utf8') }
    if (await context.inbox.accept(id, letter)) handle(id, letter)
    await rm(file, { force: true })
  }

  /** Letters of one conversation are handled one after another, and those of others beside them. */
  function handle(id: string, letter: Letter): void {
    const before = lines.get(letter.conversation) ?? Promise.resolve()
    const handled = before.then(() => answer(id, letter)).then(() => context.inbox.done(id))
    lines.set(letter.conversation, handled)
    // What failed waits in the inbox for the next start, and so does what came behind it.
    handled.catch((error: unknown) => {
      if (!(error instanceof RuntimeError && error.code === 'closing')) context.warn(`A letter waits: ${String(error)}`)
    })
  }

  async function answer(id: string, { conversation, text }: Letter): Promise<void> {
    const { runtime } = context
    if (!(await runtime.pairings.find(CHANNEL, conversation))) return welcome(id, conversation, text)
    const binding = { channel: CHANNEL, conversation }
    const idempotencyKey = `${CHANNEL}:${id}`
    const first = newSessionWords(text)
    if (first === '') {
      await beginSession(runtime, binding)
      return write(conversation, id, newSessionReply)
    }
    const session =
      first === undefined ? await runtime.sessionFor(binding) : await beginSession(runtime, binding, idempotencyKey)
    await runtime.submit({ session, text: first ?? text, idempotencyKey })
  }

  /** What a stranger writes reaches no model, unless it is the code that the owner was shown. */
  async function welcome(id: string, conversation: string, text: string): Promise<void> {
    const chat = { channel: CHANNEL, chat: conversation, title: conversation, kind: 'person' } as const
    const code = text.trim().replace(/^\/pair\s+/i, '')
    if (await context.runtime.pairings.redeem(code, chat)) await write(conversation, id, 'You are paired.')
  }

  async function write(conversation: string, name: string, text: string): Promise<void> {
    const out = join(folder, conversation, 'out')
    await makePrivateFolder(out)
    await writeFileAtomically(join(out, `${name.replaceAll('/', '-')}.txt`), text)
  }

  return {
    name: CHANNEL,
    async start(given) {
      context = given
      for (const { id, value } of await given.inbox.waiting()) handle(id, value as Letter)
      timer = setInterval(() => {
        looking = looking
          .then(look)
          .catch((error: unknown) => given.warn(`The mailbox cannot be read: ${String(error)}`))
      }, everyMs)
    },
    async stop() {
      clearInterval(timer)
      await looking
      await Promise.allSettled(lines.values())
    },
    /** A file that is written again is the same file, so that nothing is said twice. */
    async deliver(reply) {
      const parts = partsOf(textOf(reply), longest)
      for (const [index, text] of parts.entries()) {
        const part = index + 1
        const messageId = `${reply.turn}-${part}`
        await write(reply.conversation, messageId, text)
        await context.sent(reply.session, reply.turn, { part, messageId })
      }
      return { messageId: `${reply.turn}-1` }
    },
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.toSorted((one, other) => one.localeCompare(other))
}

function textOf({ text, outcome }: Reply): string {
  return [text, outcomeNotice(outcome)].filter(Boolean).join('\n\n')
}

/** Cut between words. */
function partsOf(text: string, longest: number): readonly string[] {
  const parts: string[] = []
  for (const word of text.split(/(?<=\s)/)) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + word.length <= longest) parts[parts.length - 1] = last + word
    else parts.push(word)
  }
  return parts
}
