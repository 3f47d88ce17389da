import * as fc from 'fast-check'
import {
  assemble,
  type AssemblyInput,
  type Attachment,
  chars,
  charsPerFour,
  ContextOverflowError,
  type Cut,
  declared,
  type Message,
  messageTokens,
  type ToolDefinition,
  tokenx,
  type Turn,
  type TurnMessage,
} from '../../src/context.ts'
import { layers, layout } from './layers.ts'
import { longTurnMessages, soundTurnMessages, turnMessages, words } from './messages.ts'

/** Everything an assembly can be given, in windows from far too small to more than enough. */
export function inputs(turns: fc.Arbitrary<readonly Message[]> = turnMessages()): fc.Arbitrary<AssemblyInput> {
  return fc
    .record({
      layout: layout(),
      layers: layers(),
      talk: fc.array(turns, { maxLength: 7 }),
      said: fc.oneof({ weight: 2, arbitrary: turns.map(withUser) }, longTurnMessages()),
      tools: tools(),
      counter: fc.constantFrom(chars, charsPerFour, tokenx, declared),
      attachments: fc.array(attachment(), { maxLength: 3 }),
      given: fc.array(fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined, freq: 4 }), {
        minLength: 11,
        maxLength: 11,
      }),
      share: fc.oneof(shareOfAll(0, 1.2), shareOfAll(0.6, 1)),
      pinched: fc.constantFrom('all', 'history', 'history'),
      reserve: fc.constantFrom(0, 50),
      margin: fc.constantFrom(undefined, 7),
      marks: fc.oneof(
        fc.constant([-1, -1, -1]),
        fc.array(fc.integer({ min: -3, max: 7 }), { minLength: 3, maxLength: 3 }),
      ),
      earlier: fc.constantFrom(undefined, undefined, { turns: 0, tokens: 0 }, { turns: 3, tokens: 900 }),
      model: fc.constantFrom(undefined, 'rehearsal'),
    })
    .map(({ talk, said, given, share, pinched, reserve, margin, marks, attachments, earlier, model, ...rest }) => {
      let taken = 0
      const take = () => given[taken++ % given.length]
      const history = talk.map((messages, index) => turnOf(`t${index + 1}`, messages, rest.counter === declared, take))
      const current = turnOf(`t${talk.length + 1}`, said, rest.counter === declared, take)
      const budget = { window: reserve + (margin ?? 0), reserve, ...(margin === undefined ? {} : { margin }) }
      const cut = cutAt(marks, rest.layout.cut.unit, [...history, current])
      const input: AssemblyInput = {
        ...rest,
        history,
        current,
        attachments: filesOf(attachments, talk.length),
        budget,
        ...(cut ? { cut } : {}),
        ...(earlier ? { earlier } : {}),
        ...(model ? { model } : {}),
      }
      const standing = pinched === 'all' ? 0 : wantedTokens({ ...input, history: [] })
      return withRoom(input, standing + Math.floor((wantedTokens(input) - standing) * share))
    })
}

/** Whole turns, each begun by a user and every call answered: what a log of settled turns holds. */
export function soundInputs(): fc.Arbitrary<AssemblyInput> {
  return inputs(soundTurnMessages())
}

/** Inputs in which what must stand does not fit, from where nothing more can give way to where nearly nothing has to. */
export function shortInputs(): fc.Arbitrary<AssemblyInput> {
  return fc.tuple(inputs(), fc.oneof(shareOfAll(0, 0.2), shareOfAll(0, 1))).map(([input, share]) => {
    const least = leastTokens(input)
    return withRoom(input, least + Math.floor((wantedTokens({ ...input, history: [] }) - least) * share))
  })
}

/** What is wanted where there is no room at all: everything as small as it gets. */
function leastTokens(input: AssemblyInput): number {
  try {
    return assemble(withRoom(input, 0)).manifest.used
  } catch (error) {
    if (error instanceof ContextOverflowError) return error.manifest.used
    throw error
  }
}

/** The same input with so many tokens available. */
export function withRoom(input: AssemblyInput, tokens: number): AssemblyInput {
  const { reserve, margin = 0 } = input.budget
  return { ...input, budget: { ...input.budget, window: reserve + margin + Math.max(0, tokens) } }
}

/** A loop of its first messages, so many of its steps ago: what the same turn held then. */
export function upToStep(input: AssemblyInput, messages: number): AssemblyInput {
  return { ...input, current: { ...input.current, messages: input.current.messages.slice(0, messages) } }
}

/** What everything together would cost. */
export function wantedTokens(input: AssemblyInput): number {
  const { cut: _cut, earlier: _earlier, ...rest } = input
  return assemble({ ...withRoom(rest, 10_000_000), layout: { ...input.layout, headShare: 1 } }).manifest.used
}

/** The conversation one turn later: what was current is settled, and something new is said. */
export function later(input: AssemblyInput, said: string): AssemblyInput {
  const message: Message = { role: 'user', content: said }
  const next = {
    id: `t${input.history.length + 2}`,
    messages: [{ message, tokens: messageTokens(input.counter, message) }],
  }
  return { ...input, history: [...input.history, input.current], current: next }
}

function turnOf(id: string, messages: readonly Message[], always: boolean, take: () => number | undefined): Turn {
  return {
    id,
    messages: messages.map((message): TurnMessage => {
      const tokens = take()
      if (tokens === undefined && !always) return { message }
      return { message, tokens: tokens ?? messageTokens(chars, message) }
    }),
  }
}

/** A turn is only answered because a user said something. */
function withUser(messages: readonly Message[]): readonly Message[] {
  return messages.some(({ role }) => role === 'user') ? messages : [{ role: 'user', content: 'Go on.' }, ...messages]
}

function tools(): fc.Arbitrary<readonly ToolDefinition[] | undefined> {
  const reader = (reads: 'history' | 'files'): ToolDefinition => ({
    name: `look_up_${reads}`,
    description: `Looks up ${reads}.`,
    inputSchema: { type: 'object' },
    reads,
  })
  const plain: ToolDefinition = { name: 'search', inputSchema: { type: 'object' }, tokens: 12 }
  return fc.constantFrom(
    undefined,
    [plain],
    [{ ...plain, keepsOutput: true }, reader('history')],
    [reader('history')],
    [plain, reader('history'), reader('files')],
    [reader('files')],
  )
}

interface File {
  readonly turn: number
  readonly text: string | undefined
  readonly tokens: number | undefined
}

/** Files of settled turns, of the current one, and of turns that nobody knows. */
function attachment(): fc.Arbitrary<File> {
  return fc.record({
    turn: fc.integer({ min: 0, max: 9 }),
    text: fc.oneof(words(400), fc.constantFrom(undefined, '  ')),
    tokens: fc.constantFrom(undefined, undefined, 40),
  })
}

function shareOfAll(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true })
}

/** Some belong to turns there are, the rest is stray; in any order. */
function filesOf(files: readonly File[], turns: number): readonly Attachment[] {
  return files.map(({ turn, text, tokens }, index) => ({
    turn: `t${turn > turns + 1 ? 0 : turn}`,
    id: `file-${index + 1}`,
    name: `notes-${index + 1}.txt`,
    ...(text === undefined ? {} : { text }),
    ...(tokens === undefined ? {} : { tokens }),
  }))
}

/** Marks of a former cut: of turns there are, of the current one, of none. Below zero: no mark. */
function cutAt(marks: readonly number[], unit: 'turn' | 'message', turns: readonly Turn[]): Cut | undefined {
  const [drop, clear, excerpt] = marks.map((mark) => (mark < 0 ? undefined : (turns[mark]?.id ?? 'unknown')))
  if (drop === undefined && clear === undefined && excerpt === undefined) return undefined
  return {
    ...(drop === undefined ? {} : { dropBefore: unit === 'message' && drop !== turns.at(-1)!.id ? `${drop}/1` : drop }),
    ...(clear === undefined ? {} : { clearBefore: within(clear, marks[0]!) }),
    ...(excerpt === undefined ? {} : { excerptBefore: within(excerpt, marks[2]!) }),
  }
}

/** A turn as a whole, or one of its messages. */
function within(turn: string, chosen: number): string {
  return chosen % 2 === 0 ? turn : `${turn}/${chosen + 2}`
}
