import { beginSession, type Channel, newSessionReply, newSessionWords } from '../../src/runtime.ts'
import { RuntimeError, type Reply, type ChannelContext } from '../../src/capability.ts'
import type { Letter, PigeonPost } from './channel-example-service.ts'

/** The least that a channel needs: an inbox before it acknowledges, a line for each conversation, replies in parts. */
export function pigeonChannel(post: PigeonPost): Channel {
  const lines = new Map<string, Promise<void>>()
  let desk: ChannelContext | undefined

  async function handle(at: ChannelContext, letter: Letter): Promise<void> {
    await answer(at, letter)
    await at.inbox.done(String(letter.number))
  }

  async function answer({ runtime }: ChannelContext, { number, conversation, text }: Letter): Promise<void> {
    if (!(await runtime.pairings.find('pigeon', conversation))) return
    const binding = { channel: 'pigeon', conversation }
    const first = newSessionWords(text)
    if (first === '') {
      await beginSession(runtime, binding)
      await post.send(conversation, newSessionReply)
      return
    }
    const idempotencyKey = `pigeon:${number}`
    const begins = first !== undefined
    const session = await (begins ? beginSession(runtime, binding, idempotencyKey) : runtime.sessionFor(binding))
    await runtime.submit({ session, text: first ?? text, idempotencyKey })
  }

  /** Letters of one conversation are handled one after another, and those of others beside them. */
  function line(at: ChannelContext, letter: Letter): void {
    const before = lines.get(letter.conversation) ?? Promise.resolve()
    const next = before.then(() => handle(at, letter))
    lines.set(letter.conversation, next)
    // What failed waits in the inbox for the next start, and so does what came behind it.
    next.catch((error: unknown) => {
      if (!(error instanceof RuntimeError && error.code === 'closing')) at.warn(`A letter waits: ${String(error)}`)
    })
  }

  return {
    name: 'pigeon',
    async start(given) {
      desk = given
      for (const { value } of await given.inbox.waiting()) line(given, value as Letter)
      post.attach(async (letter) => {
        if (await given.inbox.accept(String(letter.number), letter)) line(given, letter)
      })
    },
    async stop() {
      post.detach()
      await Promise.allSettled(lines.values())
    },
    async deliver(reply) {
      const ids: string[] = []
      for (const [index, text] of partsOf(textOf(reply), post.longest).entries()) {
        const part = index + 1
        const known = reply.sent.find((each) => each.part === part)
        if (known) post.change(known.messageId, text)
        const messageId = known?.messageId ?? (await post.send(reply.conversation, text))
        if (!known) await desk!.sent(reply.session, reply.turn, { part, messageId })
        ids.push(messageId)
      }
      return { messageId: ids[0]! }
    },
  }
}

function textOf({ text, outcome }: Reply): string {
  return outcome.type === 'failed' ? `${text}\nThat did not work: ${outcome.message}`.trim() : text
}

/** Cut between words. */
function partsOf(text: string, longest: number): readonly string[] {
  const parts: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= longest) parts[parts.length - 1] = `${last} ${word}`
    else parts.push(word)
  }
  return parts
}
