import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capability } from '../capability.ts'
import { messageText, tokenx, usualLayout } from '../context.ts'
import type { ModelRequest } from '../model.ts'
import { type Channel, createRuntime, type Pairings, type Runtime, systemClock } from '../runtime.ts'
import { openStore, type SessionStore } from '../session.ts'
import { readAccess } from '../tool.ts'
import { scriptedModel, scriptedModels, type ScriptedReply } from './scripted-model.ts'

const prompt = capability({
  name: 'prompt',
  layers: () => [
    {
      id: 'system-prompt',
      layer: 'system-prompt',
      renditions: [{ form: 'full', text: 'You answer in a chat.' }],
      origin: { kind: 'operator', ref: 'channel cases' },
    },
  ],
})

/** Runs one case in its own world and cleans up afterwards. */
export type ChannelCase = (
  name: string,
  run: (world: Awaited<ReturnType<typeof channelWorld>>) => Promise<void>,
) => void

interface ChannelScript {
  /** The answer of the model to a message. By default it answers `question-N` with `answer-N`. */
  readonly answer?: (said: string) => ScriptedReply | Promise<ScriptedReply>
  /** Awaited before each write. A rejection simulates a failing disk. */
  readonly before?: (written: Written) => Promise<void> | void
}

/** In the inbox of the channel, or as an entry of the log. */
type Written = 'inbox' | 'input' | 'sent' | 'delivered' | 'other'

/** How long a case waits for a condition, ms. */
const TIMEOUT_MS = 60_000

/** A channel on a gateway that can be started again and again. */
export async function channelWorld(fixture: ChannelFixture) {
  const home = await mkdtemp(join(tmpdir(), 'foreword-channel-'))
  const requests: ModelRequest[] = []
  const opened: { close(): Promise<void> }[] = []
  return {
    fixture,
    requests,
    async open(script: ChannelScript = {}) {
      const world = await openWorld(fixture, home, requests, script)
      opened.push(world)
      return world
    },
    /** Closes what is open and removes everything. */
    async remove(): Promise<void> {
      for (const each of opened) await each.close()
      await fixture.remove()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** One start of the gateway. */
async function openWorld(
  fixture: ChannelFixture,
  home: string,
  requests: ModelRequest[],
  { answer = defaultReply, before = () => {} }: ChannelScript,
) {
  const side = await fixture.open()
  const model = scriptedModel({
    answer(request) {
      requests.push(request)
      return answer(newestUserText(request))
    },
  })
  const runtime: Runtime = await createRuntime({
    version: '0.1.0',
    home,
    store: observedStore(await openStore({ path: join(home, 'store.sqlite'), clock: systemClock }), before),
    models: scriptedModels(model),
    capabilities: [prompt],
    settings: { layout: usualLayout, counter: tokenx, maxSteps: 4, retryDelaysMs: [1, 1] },
    clock: systemClock,
    policy: { current: async () => readAccess('{}', {}) },
    channels: [observedChannel(side.channel, before)],
  })
  let closing: Promise<void> | undefined
  const answers = async (conversation: string) =>
    (await side.sentMessages(conversation)).flatMap((text) => text.match(/answer-\d+/g) ?? [])
  return {
    runtime,
    channel: side.channel,
    send: (...message: Parameters<OpenChannel['send']>) => side.send(...message),
    sentMessages: (conversation: string) => side.sentMessages(conversation),
    ...(side.fail ? { fail: (after: number | undefined) => side.fail!(after) } : {}),
    pairs: side.pair !== undefined,
    async pair(...conversations: readonly string[]): Promise<void> {
      for (const conversation of conversations) await side.pair?.(conversation, runtime.pairings)
    },
    /** Every `answer-N` in a conversation, in order. */
    answers,
    /** Waits until a conversation has `count` answers, and returns them. */
    async answered(conversation: string, count: number): Promise<readonly string[]> {
      await eventually(
        `${count} answers in the conversation ${conversation}`,
        async () => (await answers(conversation)).length >= count,
      )
      return answers(conversation)
    },
    close() {
      closing ??= runtime.close().then(() => side.close())
      return closing
    },
  }
}

/** Waits until a condition is true. Rejects after the time limit. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await isSo()); await waitBriefly(5)) {
    if (performance.now() - began > TIMEOUT_MS) throw new Error(`Timed out while waiting for ${what}.`)
  }
}

/** Waits long enough for an unwanted effect to appear. */
export function waitBriefly(milliseconds = 40): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** `word-10000`, `word-10001` …: more text than fits into two messages. */
export function longReply(longest: number): readonly string[] {
  return Array.from({ length: Math.ceil((longest * 2.5) / 10) }, (_, n) => `word-${10_000 + n}`)
}

/** Joins words to paragraphs. */
export function asText(words: readonly string[]): string {
  return words.map((word, n) => (n % 40 === 39 ? `${word}.\n\n` : `${word} `)).join('')
}

export function wordsIn(texts: readonly string[]): readonly string[] {
  return texts.join('\n').match(/word-\d+/g) ?? []
}

function defaultReply(said: string): ScriptedReply {
  const question = said.match(/question-\d+/g)?.at(-1)
  return { text: question?.replace('question', 'answer') ?? 'ok' }
}

function newestUserText({ messages }: ModelRequest): string {
  const newest = messages.findLast(({ role }) => role === 'user')
  return newest ? messageText(newest) : ''
}

function observedStore(store: SessionStore, before: NonNullable<ChannelScript['before']>): SessionStore {
  return {
    ...store,
    async append(session, bodies, time) {
      const type = bodies.at(-1)?.type
      await before(type === 'input' || type === 'sent' || type === 'delivered' ? type : 'other')
      return store.append(session, bodies, time)
    },
  }
}

function observedChannel(channel: Channel, before: NonNullable<ChannelScript['before']>): Channel {
  return {
    name: channel.name,
    async start(context) {
      const { inbox } = context
      await channel.start?.({
        ...context,
        inbox: {
          async accept(id, value) {
            await before('inbox')
            return inbox.accept(id, value)
          },
          waiting: () => inbox.waiting(),
          done: (id) => inbox.done(id),
        },
      })
    },
    stop: async () => channel.stop?.(),
    deliver: (reply) => channel.deliver(reply),
    warnings: () => channel.warnings?.() ?? [],
  }
}

/** A small chat service for one case. It is empty at first and outlives the channels that connect to it. */
export interface ChannelFixture {
  /** The longest message that the service accepts, in characters. Longer replies arrive in parts. */
  readonly longest: number
  /**
   * Opens a channel to the service. It is called again after `close`, as after a restart. The service keeps all messages
   * and delivers those again that the channel did not acknowledge.
   */
  open(): Promise<OpenChannel>
  remove(): Promise<void>
}

/** One channel, and the people who write to it. Ids of conversations are digits, such as `4001`. */
export interface OpenChannel {
  /** Not started. The runtime starts and stops it. */
  readonly channel: Channel
  /** Sends a message as a person. Resolves when the channel has acknowledged it to the service. */
  send(conversation: string, text: string, options?: SendOptions): Promise<void>
  /** The current texts of the messages that the channel has sent to a conversation, edits included. */
  sentMessages(conversation: string): Promise<readonly string[]>
  /** Pairs a conversation as the owner does. Absent if the channel has no pairing. */
  pair?(conversation: string, pairings: Pairings): Promise<void>
  /** The service accepts `after` more messages and then refuses all others temporarily. `undefined` ends the failure. */
  fail?(after: number | undefined): void
  /** Called after the runtime has closed. */
  close(): Promise<void>
}

export interface SendOptions {
  /** The number of the message in the service, from 1. The same number again means that the message is delivered again. */
  readonly update?: number
}
