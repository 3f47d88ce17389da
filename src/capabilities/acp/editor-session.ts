import { randomUUID } from 'node:crypto'
import type { SessionEvent, SubmittedTurn } from '../../capability.ts'
import { apiPath, CommandFailure, requestJson, requestList } from '../../cli.ts'
import { type Clock, errorMessage } from '../../platform.ts'
import { outcomeNotice } from '../../runtime.ts'
import { type CallRecord, type Entry, type TurnOutcome, type TurnRow, turnsToHead } from '../../session.ts'
import { configOptions, type EditorSessionView } from './config-options.ts'
import { type EditorClient, ensureNotice, sendNotice } from './editor-client.ts'
import { editorQuestions } from './editor-questions.ts'
import { type GatewayLink, followedEvents } from './gateway-link.ts'
import { sessionUpdates } from './session-updates.ts'
import type { StopReason } from '@agentclientprotocol/sdk'

export type EditorSession = ReturnType<typeof editorSession>

interface PreparedPrompt {
  readonly text: string
  readonly attachments: readonly string[]
}

interface EditorSessionOptions {
  readonly link: GatewayLink
  readonly clock: Clock
  readonly client: EditorClient
  readonly view: EditorSessionView
  /** The folder of the tools, absolute. */
  readonly workspace: string
  readonly warn: (text: string) => void
}

interface OpenPrompt {
  readonly ended: PromiseWithResolvers<TurnOutcome>
  turn?: string
  isCancelled: boolean
}

export function editorSession({ link, clock, client, view, workspace, warn }: EditorSessionOptions) {
  const { id } = view
  const path = apiPath('/api/sessions/', id)
  /** Keys of inputs that the editor has sent: it shows those itself. */
  const ownKeys = new Set<string>()
  const prompts = new Map<string, OpenPrompt>()
  const updates = sessionUpdates(workspace, (key) => ownKeys.has(key))
  const questions = editorQuestions({ link, client, session: id, workspace, warn })
  /** Questions of the log without an answer yet, by their ids. */
  const unanswered = new Map<string, Extract<Entry, { type: 'approval-request' }>>()
  const closing = new AbortController()
  let position = String(view.entries)
  let lastCall: string | undefined
  let running: string | undefined
  let isFollowing = false

  async function readLog(after: number, visit: (entry: Entry) => Promise<void>): Promise<void> {
    for (let seq = after; ;) {
      const entries = await requestList<Entry>(link, `${path}/entries?limit=500&after=${seq}`, 'entries')
      for (const entry of entries) {
        await visit(entry)
        note(entry)
        seq = entry.seq
        position = String(seq)
      }
      if (entries.length === 0) return
    }
  }

  function note(entry: Entry): void {
    if (entry.type === 'turn-start') running = entry.turn
    if (entry.type === 'usage') lastCall = entry.call
    if (entry.type === 'approval-request') unanswered.set(entry.approval, entry)
    if (entry.type === 'approval') unanswered.delete(entry.approval)
    if (entry.type !== 'turn-end') return
    if (running === entry.turn) running = undefined
    for (const [approval, { turn }] of unanswered) if (turn === entry.turn) unanswered.delete(approval)
  }

  async function handle(event: SessionEvent): Promise<void> {
    if (event.type === 'retry') return await sendNotice(client, id, { severity: 'info', title: event.message })
    if (event.type === 'interrupted') {
      const { code, message: title } = event
      return code === 'closing' ? undefined : await ensureNotice(client, id, { severity: 'warning', title })
    }
    for (const update of updates.of(event)) await client.update(id, update)
    if (event.type !== 'entry') return
    note(event.entry)
    await handleEntry(event.entry)
  }

  async function handleEntry(entry: Entry): Promise<void> {
    switch (entry.type) {
      case 'input': {
        const prompt = entry.idempotencyKey === undefined ? undefined : prompts.get(entry.idempotencyKey)
        if (prompt) prompt.turn = entry.turn
        return
      }
      case 'approval-request':
        return questions.ask(entry)
      case 'approval':
        return questions.settle(entry.approval)
      case 'usage':
        if (entry.warning) await sendNotice(client, id, { severity: 'warning', title: entry.warning.message })
        return await beside(() => sendUsage(entry.call))
      case 'model':
      case 'choice':
        return await beside(sendOptions)
      case 'label':
        return await beside(sendTitle)
      case 'turn-end':
        return await endTurn(entry.turn, entry.outcome)
    }
  }

  async function endTurn(turn: string, outcome: TurnOutcome): Promise<void> {
    questions.settleTurn(turn)
    const notice = outcomeNotice(outcome)
    // A turn that failed has its sentence in the error, and one that was cancelled ended as its person wanted.
    const isKnown = outcome.type === 'cancelled' || turnStopReason(outcome) === undefined
    if (notice !== undefined && !isKnown) await ensureNotice(client, id, { severity: 'warning', title: notice })
    await beside(sendTitle)
    for (const prompt of prompts.values()) if (prompt.turn === turn) prompt.ended.resolve(outcome)
  }

  /** Where it cannot be fetched, the conversation goes on without it. */
  async function beside(send: () => Promise<void>): Promise<void> {
    try {
      await send()
    } catch (error) {
      if (!closing.signal.aborted) warn(errorMessage(error))
    }
  }

  async function sendOptions(): Promise<void> {
    const options = await configOptions(link, await readView())
    await client.update(id, { sessionUpdate: 'config_option_update', configOptions: options })
  }

  async function sendTitle(): Promise<void> {
    const { title, opening, updated } = await readView()
    await client.update(id, {
      sessionUpdate: 'session_info_update',
      title: title ?? opening ?? null,
      updatedAt: updated,
    })
  }

  /** Only where every call has a price. */
  async function sendUsage(call: string): Promise<void> {
    const [{ manifest }, { cost }] = await Promise.all([
      requestJson<CallRecord>(link, apiPath('/api/calls/', call)),
      readView(),
    ])
    const money = cost?.unpriced === 0 ? cost.money : undefined
    await client.update(id, {
      sessionUpdate: 'usage_update',
      used: manifest.used,
      size: manifest.budget.window,
      ...(money === undefined ? {} : { cost: { amount: money, currency: 'USD' } }),
    })
  }

  function readView(): Promise<EditorSessionView> {
    return requestJson<EditorSessionView>(link, `${path}?cost=true`)
  }

  async function run(): Promise<void> {
    try {
      const call = lastCall
      if (call !== undefined) await beside(() => sendUsage(call))
      for (const entry of unanswered.values()) questions.ask(entry)
      for await (const event of followedEvents(clock, link, id, position, closing.signal)) {
        position = event.id
        await handle(event)
      }
    } catch (error) {
      if (closing.signal.aborted) return
      warn(`session ${id} is followed no further: ${errorMessage(error)}`)
      for (const { ended } of prompts.values()) ended.reject(lostTurn(id, error))
    } finally {
      isFollowing = false
      questions.settleTurn()
    }
  }

  /** From now on everything that happens is sent, also what others began, and waiting calls are asked about. */
  function follow(): void {
    if (isFollowing || closing.signal.aborted) return
    isFollowing = true
    void run()
  }

  async function submit(key: string, { text, attachments }: PreparedPrompt): Promise<SubmittedTurn> {
    const send = () =>
      requestJson<SubmittedTurn>(link, `${path}/messages`, {
        method: 'POST',
        body: { text, attachments, idempotencyKey: key },
      })
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.code !== 'network') throw error
      return await send()
    }
  }

  async function cancelTurn(turn: string): Promise<void> {
    await requestJson(link, apiPath(`${path}/turns/`, turn, '/cancel'), { method: 'POST' })
  }

  return {
    /** Sends the conversation up to now: the turns that lead to where it goes on, and those that are not over. */
    async replay() {
      const turns = await readTurns(link, path)
      const kept = new Set(turnsToHead(view, turns).map(({ turn }) => turn))
      const left = new Set(turns.filter(({ turn, state }) => !kept.has(turn) && !isOpen(state)).map(({ turn }) => turn))
      await readLog(0, async (entry) => {
        if (!('turn' in entry) || left.has(entry.turn)) return
        for (const update of updates.of({ id: String(entry.seq), type: 'entry', entry }))
          await client.update(id, update)
      })
    },
    /** As `replay`, without sending anything: only what is not over is known afterwards. */
    async catchUp() {
      const open = (await readTurns(link, path)).filter(({ state }) => isOpen(state))
      const from = Math.min(view.entries, ...open.map(({ firstSeq }) => firstSeq - 1))
      await readLog(from, async (entry) => void updates.of({ id: String(entry.seq), type: 'entry', entry }))
    },
    follow,
    /**
     * Submits what `prepare` resolves to, and resolves when its turn is over. A repeated submission is the same turn.
     * Rejects where the message was not accepted, and where its turn can no longer be followed.
     */
    async prompt(prepare: () => Promise<PreparedPrompt>): Promise<TurnOutcome> {
      const key = randomUUID()
      const prompt: OpenPrompt = { ended: Promise.withResolvers(), isCancelled: false }
      ownKeys.add(key)
      prompts.set(key, prompt)
      // It may be rejected before anything waits for it.
      prompt.ended.promise.catch(() => {})
      try {
        const message = await prepare()
        if (prompt.isCancelled) return { type: 'cancelled' }
        follow()
        const { turn } = await submit(key, message)
        prompt.turn = turn
        if (prompt.isCancelled) await cancelTurn(turn)
        return await prompt.ended.promise
      } finally {
        prompts.delete(key)
        // Where it was never sent, nothing else ends it.
        prompt.ended.resolve({ type: 'cancelled' })
      }
    },
    /** Cancels the prompts of the editor; without one, the turn that runs. */
    async cancel() {
      const own = [...prompts.values()]
      for (const prompt of own) prompt.isCancelled = true
      const turns = own.length > 0 ? own.flatMap(({ turn }) => turn ?? []) : [running].flatMap((turn) => turn ?? [])
      for (const turn of turns) await cancelTurn(turn)
    },
    async settled() {
      await Promise.allSettled([...prompts.values()].map(({ ended }) => ended.promise))
    },
    close() {
      closing.abort()
      questions.settleTurn()
      for (const { ended } of prompts.values()) ended.reject(lostTurn(id))
    },
  }
}

function isOpen(state: TurnRow['state']): boolean {
  return state === 'queued' || state === 'running'
}

async function readTurns(link: GatewayLink, path: string): Promise<readonly TurnRow[]> {
  const all: TurnRow[] = []
  for (let before = ''; ;) {
    const turns = await requestList<TurnRow>(link, `${path}/turns?limit=500${before}`, 'turns')
    all.push(...turns)
    const oldest = turns.at(-1)?.ordinal
    if (oldest === undefined || oldest <= 1) return all
    before = `&before=${oldest}`
  }
}

function lostTurn(session: string, cause?: unknown): CommandFailure {
  const why = cause === undefined ? 'The session was closed.' : `${errorMessage(cause)}.`.replace(/\.\.$/, '.')
  return new CommandFailure('network', `${why} The message is kept, and its turn goes on.`, {
    hint: `Load the session again, or show it with \`foreword sessions show ${session}\`.`,
    cause,
  })
}

/** How a prompt ends for an editor. `undefined`: it failed, and its error says why. */
export function turnStopReason(outcome: TurnOutcome): StopReason | undefined {
  switch (outcome.type) {
    case 'completed':
    case 'other':
      return 'end_turn'
    case 'length':
      return 'max_tokens'
    // Without a limit the model itself ended an answer that has no words.
    case 'empty':
    case 'reasoning-only':
      return outcome.limit === undefined ? 'end_turn' : 'max_tokens'
    case 'content-filter':
      return 'refusal'
    case 'cancelled':
      return 'cancelled'
    case 'failed':
      // The model called a tool in the last of the calls that `agent.maxSteps` allows.
      return outcome.code === 'no-answer' ? 'max_turn_requests' : undefined
  }
}
