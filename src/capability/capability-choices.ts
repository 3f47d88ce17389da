import { defined } from '../platform.ts'
import type { AnyCapability } from './capability.ts'
import { RuntimeError } from './runtime-error.ts'
import type { ChoiceOption, SessionChoice, TurnPreset } from './session-choice.ts'
import type { Started } from './started.ts'

/** What sessions can choose, by name, with the position of the capability that offers it. */
export type OwnedChoices = Readonly<Record<string, { readonly owner: number; readonly choice: SessionChoice<never> }>>

/** Collects the choices of capabilities. Throws where two of them offer a choice of one name. */
export function collectChoices(capabilities: readonly AnyCapability[]): OwnedChoices {
  const choices: Record<string, OwnedChoices[string]> = {}
  for (const [owner, { name, sessions }] of capabilities.entries()) {
    for (const [choice, offers] of Object.entries(sessions?.choices ?? {})) {
      const other = choices[choice]
      if (other) {
        const first = capabilities[other.owner]!.name
        throw new Error(`Sessions choose their ${choice} with two capabilities, ${first} and ${name}; keep one.`)
      }
      choices[choice] = { owner, choice: offers }
    }
  }
  return choices
}

export interface HostedChoice extends Pick<SessionChoice<never>, 'summary' | 'none' | 'several' | 'files'> {
  /** Rejects with `not-found` or `invalid-input`. */
  check(id: string): Promise<void>
  find(word: string): Promise<string>
  /** `undefined`: what could be chosen cannot be listed. */
  readonly list: (() => Promise<readonly ChoiceOption[]>) | undefined
}

/** What a session's choices come to: ids by the name of the choice, and what they decide together. */
export interface Chosen {
  readonly choices: Readonly<Record<string, string>>
  readonly preset: TurnPreset
}

/** Choices of started capabilities: offered to hosts, checked, and resolved for a turn. */
export type RunningChoices = ReturnType<typeof runChoices>

export function runChoices(choices: OwnedChoices, started: readonly Started[]) {
  const owners = new Map(Object.entries(choices).map(([name, { owner }]) => [name, started[owner]!]))

  return {
    offered: Object.fromEntries(Object.keys(choices).map((name) => [name, hostedChoice(owners.get(name)!, name)])),

    async options(choice: string) {
      if (Object.hasOwn(choices, choice)) return hostedChoice(owners.get(choice)!, choice).list?.()
      throw new RuntimeError('not-found', `Sessions cannot choose: ${choice}.`, { choice })
    },
    /** Rejects with `not-found`, and with `invalid-input` for a choice that does not exist. */
    async check(asked: Readonly<Record<string, string | null>>) {
      for (const [name, id] of Object.entries(asked)) {
        if (!Object.hasOwn(choices, name)) {
          const known = Object.keys(choices)
          const there = known.length === 0 ? 'Sessions choose nothing here.' : `There are ${known.join(', ')}.`
          throw new RuntimeError('invalid-input', `Sessions choose no ${JSON.stringify(name.slice(0, 100))}. ${there}`)
        }
        const { value, self } = owners.get(name)!
        if (id !== null) await value.sessions!.choices![name]!.check(self, id)
      }
    },
    /** Adds what is usual, and leaves out what is gone. */
    async resolve(asked: Readonly<Record<string, string>>) {
      const found: Record<string, string> = {}
      const presets: TurnPreset[] = []
      for (const name of Object.keys(choices)) {
        const { value, self } = owners.get(name)!
        const choice = value.sessions!.choices![name]!
        const id = (Object.hasOwn(asked, name) ? asked[name] : undefined) ?? choice.usual?.(self)
        if (id === undefined) continue
        const preset = choice.preset ? await choice.preset(self, id) : {}
        if (!preset) continue
        found[name] = id
        presets.push(preset)
      }
      // The first that decides counts.
      const preset: TurnPreset = Object.assign({}, ...presets.toReversed().map((each) => defined(each)))
      return { choices: found, preset }
    },
  }
}

function hostedChoice({ value, self }: Started, name: string): HostedChoice {
  const choice = value.sessions!.choices![name]!
  const { summary, none, several, files, list } = choice
  return {
    summary,
    none,
    ...defined({ files, several }),
    check: (id) => choice.check(self, id),
    async find(word) {
      if (choice.find) return choice.find(self, word)
      await choice.check(self, word)
      return word
    },
    list: list && (() => list.call(choice, self)),
  }
}
