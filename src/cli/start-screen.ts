import type { Io, StartLine } from '../capability.ts'
import type { ModelFacts } from '../model.ts'
import { safeForTerminal, applyStyle } from './io.ts'
import { withLocalTimes } from './time-text.ts'

export interface StartFacts {
  readonly version: string
  /** With the token, so that a browser gets in. */
  readonly address: string
  readonly model: {
    readonly id: string
    readonly why: string
    /** Where they are known by now. */
    readonly facts?: ModelFacts
    /** What it says of itself where it answers in the place of a model, and how to attach one. */
    readonly standIn?: string
    readonly ways?: string
  }
  /** What capabilities say, each with its label. */
  readonly lines?: readonly StartLine[]
  readonly home: string
  /** Turns that the last run left unfinished and that go on now. */
  readonly recovered: number
  readonly warnings: readonly string[]
}

/** The one screen of `foreword start`. */
export function startScreen(facts: StartFacts, io: Io): string {
  const { version, address, model, lines = [], home, recovered, warnings } = facts
  const label = (name: string) => `  ${applyStyle(io, 'dim', name.padEnd(8))} `
  const screen = [
    '',
    `${applyStyle(io, 'bold', 'Foreword')} ${version}`,
    '',
    `${label('Address')}${applyStyle(io, 'cyan', address)}`,
    `${label('Model')}${applyStyle(io, 'bold', model.id)}: ${safeForTerminal(model.standIn ?? model.why, io.stdout)}`,
    ...(model.facts ? [`${label('Window')}${windowText(model.facts)}`] : []),
    ...lines.map((line) => `${label(line.label)}${safeForTerminal(line.text, io.stdout)}`),
    `${label('Data')}${home}`,
    `${label('Talk')}\`foreword chat\` in another terminal (in a checkout \`npm run foreword -- chat\`)`,
    `${label('Stop')}Ctrl-C`,
  ]
  if (recovered > 0)
    screen.push(`${label('Resumed')}${recovered} ${recovered === 1 ? 'turn' : 'turns'} of the last run`)
  if (model.ways !== undefined)
    screen.push(
      '',
      `  ${applyStyle(io, 'yellow', 'To use a real model, do one of these and start again:')} ${model.ways}`,
    )
  if (warnings.length > 0) {
    screen.push('', applyStyle(io, 'yellow', '  Warnings'))
    for (const warning of warnings) screen.push(`    ${safeForTerminal(withLocalTimes(warning), io.stdout)}`)
  }
  return screen.join('\n')
}

/** What a request may hold, and which of the figures nobody told. */
function windowText({ window, maxOutput, assumed = [] }: ModelFacts): string {
  const mark = (name: (typeof assumed)[number]) => (assumed.includes(name) ? ' (assumed)' : '')
  const hint = assumed.includes('window') ? '; if you know better, set `models.ID.window` in config.json' : ''
  return `${window} tokens${mark('window')}, answers of up to ${maxOutput}${mark('maxOutput')}${hint}`
}

/** Opens the gateway to a browser, which trades the token for a cookie. */
export function addressWithToken(address: string, token: string | undefined): string {
  return token === undefined ? address : `${address}/?token=${encodeURIComponent(token)}`
}
