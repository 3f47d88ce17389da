import { exactLine, numberText, shortNumberText } from '../../context.ts'
import { truncateToWidth } from '@earendil-works/pi-tui'
import { personWatch } from '../approval/watch.ts'
import { addToHistory, readHistory } from './chat-history.ts'
import { type CommandCall, type Io, exactMoneyText } from '../../capability.ts'
import { type Chat, sendMessage } from './conversation.ts'
import { CommandFailure } from '../failure.ts'
import { attachNamed } from '../attach/attach.ts'
import { sizeText } from '../state-text.ts'
import { signalExitCode, exitNow, onInterrupt } from '../interrupt.ts'
import { note, print, safeForTerminal, applyStyle, type RedirectableOutput } from '../io.ts'
import { isSlashCommand, runsAtOnce, runSlashCommand, slashCommands } from './slash-command.ts'
import { EXIT_WAITING } from '../follow-to-end.ts'
import { messageCompletion } from './completion.ts'
import { createComposer } from './composer.ts'
import { createMessageQueue } from './message-queue.ts'
import { fetchSessionCost } from './session-actions.ts'
import { openScreen } from './screen.ts'
import { EXIT_COMMANDS } from './talk-by-lines.ts'
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { defined, isWithin } from '../../platform.ts'
import { bar, fetchPreview } from '../preview.ts'
import { cutToCells } from '../table.ts'

/** Chats on a terminal, with an editor below the transcript that also works while an answer streams. Resolves to the exit code. */
export async function chatInEditor(
  conversation: Chat,
  call: CommandCall,
  outer: Io,
  beside: RedirectableOutput,
): Promise<number> {
  const directory = process.cwd()
  const commands = slashCommands(outer.capabilities)
  const queue = createMessageQueue()
  const over = Promise.withResolvers<number>()
  const left = new AbortController()
  let interrupts = 0
  let status: ChatStatus = { model: '' }
  let refreshing: Promise<ChatStatus> | undefined
  const looking = new Set<Promise<void>>()
  /** Cached, because the lines are drawn far more often than they change. */
  let mentioned: { readonly text: string; readonly files: readonly MentionedFile[] } = { text: '', files: [] }

  const screen = openScreen(outer, live)
  const io: Io = { ...outer, stdout: screen.output, stderr: screen.output }
  const aside: Io = { ...outer, stdout: screen.aside, stderr: screen.aside }
  const dim = (text: string) => applyStyle(io, 'dim', text)
  const editor = createComposer({
    tui: screen.tui,
    queue,
    completion: messageCompletion(commands, directory),
    commands: commands.map(({ name }) => name),
    history: () => readHistory(call.home),
    onMessage: accept,
    onInterrupt: interrupted,
    onKey: () => {
      if (conversation.running === undefined) interrupts = 0
    },
    // A question that stays open ends the chat as waiting. Its turn is kept.
    onLeave: () => (editor.asks() ? editor.close() : over.resolve(0)),
    dim,
    bold: (text) => applyStyle(io, 'bold', text),
  })
  const watch = personWatch(conversation.connection, io, (ask) => ask(asked))

  function live(columns: number): readonly string[] {
    const line = (text: string) => dim(truncateToWidth(text, columns, '…'))
    const going = attachedNames()
    return [
      ...(conversation.running === undefined || editor.asks()
        ? []
        : [line('The model is answering. Ctrl-C stops it.')]),
      ...editor.render(columns),
      ...(going.length === 0 ? [] : [line(`attaches ${going.join(', ')}`)]),
      line(statusText(status, columns, outer)),
    ]
  }

  function attachedNames(): readonly string[] {
    const text = editor.text()
    if (text !== mentioned.text) mentioned = { text, files: findMentionedFiles(text, directory) }
    return [
      ...conversation.attachments.map(({ name }) => exactLine(name)),
      ...mentioned.files.map(({ name, bytes }) => `${exactLine(name)} (${sizeText(bytes)})`),
    ]
  }

  function accept(text: string): void {
    addToHistory(call.home, text)
    if (EXIT_COMMANDS.has(text.trim())) over.resolve(0)
    else if (runsAtOnce(text, outer)) look(text)
    else queue.add(text)
  }

  /** Runs a command that only shows something: without waiting for the turn, and without releasing held messages. */
  function look(text: string): void {
    const shown = lookNow(text).finally(() => looking.delete(shown))
    looking.add(shown)
  }

  async function lookNow(text: string): Promise<void> {
    try {
      await command(text, aside)
    } catch (error) {
      over.reject(error)
    }
  }

  async function asked(...[text, signal, answers]: Parameters<typeof editor.ask>): Promise<string | undefined> {
    const answer = await editor.ask(text, signal, answers)
    if (answer !== undefined) print(io, dim(`${text}${safeForTerminal(answer, io.stdout)}`))
    return answer
  }

  function interrupted(signal?: NodeJS.Signals): void {
    const code = signalExitCode(signal)
    if (code !== undefined) return over.resolve(code)
    const written = editor.text()
    if (conversation.running === undefined && written.trim() !== '') {
      addToHistory(call.home, written)
      editor.clear()
      return note(io, dim('The field is empty now. Up brings back what was in it.'))
    }
    interrupts += 1
    if (interrupts > 1) return over.resolve(130)
    if (conversation.running === undefined) return note(io, dim('Press Ctrl-C again to leave.'))
    queue.hold()
    void conversation.cancel().catch(() => {})
  }

  async function refresh(): Promise<void> {
    if (left.signal.aborted) return
    refreshing = fetchChatStatus(conversation)
    status = await refreshing
    screen.changed()
  }

  async function send(text: string): Promise<void> {
    const files = findMentionedFiles(text, directory)
    printMessage(text, [...conversation.attachments.map(({ name }) => name), ...files.map(({ name }) => name)])
    const { connection, session, attachments } = conversation
    try {
      const paths = files.map(({ path }) => path)
      const handedIn = paths.length === 0 ? [] : await attachNamed(connection, paths, session, io)
      conversation.attachments = [...attachments, ...handedIn]
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      note(io, applyStyle(io, 'red', error.message))
      return editor.putBack(text)
    }
    const came = await sendMessage(conversation, text, watch, io, left.signal)
    if (came === 'waiting') return over.resolve(EXIT_WAITING)
    // After a failed message, the queued ones may no longer make sense.
    if (came !== 'answered') queue.hold()
    if (came !== 'unsent') return
    conversation.attachments = attachments
    editor.putBack(text)
  }

  function printMessage(text: string, files: readonly string[]): void {
    const lines = safeForTerminal(text, io.stdout).split('\n')
    print(io, lines.map((line, at) => applyStyle(io, 'bold', `${at === 0 ? '> ' : '  '}${line}`)).join('\n'))
    if (files.length > 0) print(io, dim(`  with ${files.map(exactLine).join(', ')}`))
  }

  async function talk(): Promise<number> {
    print(io, dim('List the commands with /help. Leave with Ctrl-D.'))
    await refresh()
    for (;;) {
      const text = await queue.next()
      if (text === undefined || left.signal.aborted) return 0
      const result = text.startsWith('/') ? await command(text, io) : { type: 'message' as const, text }
      if (result.type === 'message') await send(result.text)
      interrupts = 0
      await refresh()
    }
  }

  async function command(text: string, to: Io): ReturnType<typeof runSlashCommand> {
    if (isSlashCommand(text, outer)) print(to, dim(safeForTerminal(text, to.stdout)))
    const result = await runSlashCommand(text, conversation, to)
    if (result.type === 'failed') editor.putBack(text)
    return result
  }

  screen.start()
  conversation.onRunning = screen.changed
  beside.sendTo(screen.output)
  const stop = onInterrupt(outer, interrupted)
  try {
    const talking = talk()
    talking.catch(() => {})
    const code = await Promise.race([talking, over.promise])
    screen.endOutput()
    const goesOn = conversation.running !== undefined && code !== EXIT_WAITING
    for (const text of queue.waiting())
      note(aside, applyStyle(io, 'yellow', `Not sent: ${safeForTerminal(text, io.stdout)}`))
    // The next chat offers the unfinished text in its history.
    if (editor.text().trim() !== '') addToHistory(call.home, editor.text())
    const { session } = conversation
    if (goesOn) {
      const cancelled =
        'The running turn is cancelled: it ran in this process. With `foreword start` it would continue.'
      const continues = 'The running turn continues. Its answer will be in the session.'
      note(aside, dim(conversation.connection.inProcess ? cancelled : continues))
    }
    if (session !== undefined) note(aside, dim(`Continue with \`foreword chat --session ${session}\`.`))
    await screen.drain()
    if (code === 130) {
      screen.stop()
      exitNow(outer, code)
    }
    return code
  } finally {
    stop()
    queue.end()
    beside.sendTo(undefined)
    screen.stop()
    left.abort()
    editor.close()
    // The connection is closed next, so no request may be running.
    await Promise.all([refreshing, ...looking])
  }
}

interface MentionedFile {
  /** As it is written, without `@` and quotes. */
  readonly name: string
  readonly path: string
  readonly bytes: number
}

/** Files named as `@name` or `@"name with blanks"`: regular ones below `directory`, so that a pasted text names nothing elsewhere. */
export function findMentionedFiles(text: string, directory: string): readonly MentionedFile[] {
  const found = new Map<string, MentionedFile>()
  for (const [, quoted, bare] of text.matchAll(MENTION)) {
    const file =
      bare === undefined
        ? fileAt(quoted!, directory)
        : (fileAt(bare, directory) ?? fileAt(bare.replace(/[.,;:!?)\]}'…。，、！？]+$/u, ''), directory))
    if (file !== undefined && !found.has(file.path)) found.set(file.path, file)
  }
  return [...found.values()]
}

const MENTION = /(?<=^|[\s([{'"])@(?:"([^"\n]+)"|([^\s"]+))/gm

function fileAt(name: string, directory: string): MentionedFile | undefined {
  if (name === '' || isAbsolute(name)) return undefined
  try {
    const root = realpathSync(directory)
    const path = realpathSync(resolve(root, name))
    if (!isWithin(root, path)) return undefined
    const facts = statSync(path)
    return facts.isFile() ? { name, path, bytes: facts.size } : undefined
  } catch {
    return undefined
  }
}

/** Fetches the status of the next call of a chat. Only the model where the call cannot be assembled. */
async function fetchChatStatus(conversation: Chat): Promise<ChatStatus> {
  const { connection, session } = conversation
  try {
    const { model, manifest, figures, free } = await fetchPreview(connection, { session })
    const { window, reserve } = manifest.budget
    // Where the model has no price there is no cost to add up.
    const known = session !== undefined && figures.money !== undefined
    const { money, lastTurn } = known ? await fetchSessionCost(connection, session) : {}
    return { model, used: figures.total, window, reserve, ...defined({ free, money, turnMoney: lastTurn?.money }) }
  } catch {
    return { model: await conversation.model().catch(() => 'The gateway does not answer.') }
  }
}

/** The next call as the status line shows it, in tokens and US dollars. */
interface ChatStatus {
  readonly model: string
  /** The size of its prompt without a new message. */
  readonly used?: number
  readonly window?: number
  readonly reserve?: number
  /** The next call costs nothing. */
  readonly free?: boolean
  /** The cost of the session so far; absent where a price is unknown. */
  readonly money?: number
  readonly turnMoney?: number
}

/** One line of at most `columns` columns. The least important parts are left out first. */
export function statusText(status: ChatStatus, columns: number, io: Pick<Io, 'environment'>): string {
  const { model, used, window, reserve, free, money, turnMoney } = status
  if (used === undefined || window === undefined) return cutToCells(model, columns)
  const cost = money === undefined ? [] : [exactMoneyText(money)]
  const sums =
    turnMoney === undefined ? cost : [`last turn ${exactMoneyText(turnMoney)}`, ...cost.map((all) => `session ${all}`)]
  // What runs on one's own machine costs nothing, which is one word, as on the page.
  const costs = (free || money === 0) && !money && !turnMoney ? ['free'] : sums
  const drawn = (cells: number) => bar({ used, whole: window, ...defined({ reserved: reserve }) }, cells, io)
  const kept = reserve === undefined ? [] : [`${numberText(reserve)} for the answer`]
  const exact = `${numberText(used)} of ${numberText(window)} tokens`
  const brief = `${drawn(10)} ${shortNumberText(used)}/${shortNumberText(window)}`
  const forms = [
    [model, `${drawn(20)} ${exact}`, ...kept, ...costs],
    [model, `${drawn(10)} ${exact}`, ...kept, ...costs],
    [model, `${drawn(10)} ${exact}`, ...costs],
    [model, brief, ...costs],
    [model, brief, ...cost],
    [model, `${shortNumberText(used)}/${shortNumberText(window)}`],
  ].map((parts) => parts.join(' · '))
  return forms.find((form) => form.length <= columns) ?? cutToCells(forms.at(-1)!, columns)
}
