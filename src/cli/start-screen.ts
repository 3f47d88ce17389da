import type { Io, StartLine } from '../capability.ts'
import { countedText, numberText } from '../context.ts'
import type { ModelFacts } from '../model.ts'
import { safeForTerminal, applyStyle } from './io.ts'
import { withLocalTimes } from './time-text.ts'

export interface StartFacts {
  readonly version: string
  /** With the token that a browser needs. */
  readonly address: string
  readonly model: {
    readonly id: string
    readonly why: string
    /** Absent while they are not known. */
    readonly facts?: ModelFacts
    /** Its description where it stands in for a model, and how to attach a model. */
    readonly standIn?: string
    readonly ways?: string
  }
  readonly lines?: readonly StartLine[]
  readonly home: string
  /** The address of a database that has the sessions. */
  readonly store?: string
  /** Interrupted turns of the last run that resume now. */
  readonly recovered: number
  readonly warnings: readonly string[]
}

export function startScreen(facts: StartFacts, io: Io): string {
  const { version, address, model, lines = [], home, store, recovered, warnings } = facts
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
    ...(store === undefined ? [] : [`${label('Sessions')}${store}`]),
    `${label('Talk')}\`foreword chat\` in another terminal (in a checkout: \`npm run foreword -- chat\`)`,
    `${label('Stop')}Ctrl-C`,
  ]
  if (recovered > 0) screen.push(`${label('Resumed')}${countedText(recovered, 'turn')} of the last run`)
  if (model.ways !== undefined)
    screen.push(
      '',
      `  ${applyStyle(io, 'yellow', 'Without a browser, attach a model like this and start again:')} ${model.ways}`,
    )
  if (warnings.length > 0) {
    screen.push('', applyStyle(io, 'yellow', '  Warnings'))
    for (const warning of warnings) screen.push(`    ${safeForTerminal(withLocalTimes(warning), io.stdout)}`)
  }
  return screen.join('\n')
}

/** The sizes of a request and of an answer, and which of them are assumed. */
function windowText({ window, maxOutput, assumed = [] }: ModelFacts): string {
  const mark = (name: (typeof assumed)[number]) => (assumed.includes(name) ? ' (assumed)' : '')
  const hint = assumed.includes('window') ? '; set a known size with `models.ID.window` in config.json' : ''
  return `${numberText(window)} tokens${mark('window')}, answers of up to ${numberText(maxOutput)}${mark('maxOutput')}${hint}`
}

/** The address that a browser opens. The gateway replaces the token with a cookie. */
export function addressWithToken(address: string, token: string | undefined): string {
  return token === undefined ? address : `${address}/?token=${encodeURIComponent(token)}`
}
