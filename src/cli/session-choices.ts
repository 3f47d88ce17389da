import { exactLine } from '../context.ts'
import type { ChoiceOption, CommandCall, CommandOption, GatewayConnection } from '../capability.ts'
import type { SessionRow } from '../session.ts'
import { requestJson, apiPath } from './answer.ts'
import { findSession } from './find-session.ts'
import { findByName } from './find-one.ts'
import type { CommandSource } from './io.ts'

/** Something that a session can choose, such as `agent`. */
export interface CommandChoice {
  readonly name: string
  readonly summary: string
  readonly none: string
  /** A word may be several, with commas or spaces between them. */
  readonly several?: boolean | undefined
}

/** What the capabilities let a session choose, in their order. */
export function sessionChoices({ capabilities, overview }: CommandSource): readonly CommandChoice[] {
  const all = capabilities?.map(({ sessions }) => sessions?.choices) ?? [overview?.choices]
  return all.flatMap((choices = {}) =>
    Object.entries(choices).map(([name, { summary, none, several }]) => ({ name, summary, none, several })),
  )
}

/** An option such as `--agent ID` for each choice. `about` turns the summary of a choice into that of its option. */
export function choiceOptions(
  source: CommandSource,
  about: (summary: string) => string = (summary) => summary,
): Readonly<Record<string, CommandOption>> {
  const options = sessionChoices(source).map(({ name, summary }) => {
    const phrase = summary.replace(/\.$/, '')
    return [name, { value: 'ID', summary: about(phrase.charAt(0).toLowerCase() + phrase.slice(1)) }] as const
  })
  return Object.fromEntries(options)
}

/** The same options for a line of usage: `[--agent ID] [--subject ID]`. */
export function choiceUsage(source: CommandSource): string {
  return sessionChoices(source)
    .map(({ name }) => `[--${name} ID]`)
    .join(' ')
}

/** The ids that the options of a call choose, by the name of the choice; `null` where one chooses `none`. */
export async function readChoices(
  connection: GatewayConnection,
  call: CommandCall,
  source: CommandSource,
): Promise<Readonly<Record<string, string | null>>> {
  const chosen: Record<string, string | null> = {}
  for (const choice of sessionChoices(source)) {
    const { name } = choice
    const word = call.text(name)
    if (word !== undefined) chosen[name] = word === 'none' ? null : (await findOption(connection, choice, word)).id
  }
  return chosen
}

/** The options of a choice; `undefined` where the gateway cannot list them. */
export async function listOptions(
  connection: GatewayConnection,
  choice: string,
): Promise<readonly ChoiceOption[] | undefined> {
  const path = apiPath('/api/choices/', choice)
  return (await requestJson<{ readonly options?: readonly ChoiceOption[] }>(connection, path)).options
}

/** The option that a word means, by id, name or beginning. Throws where none or several fit; the word is an id where none are listed. */
export async function findOption(
  connection: GatewayConnection,
  { name: choice, several }: Pick<CommandChoice, 'name' | 'several'>,
  word: string,
): Promise<ChoiceOption> {
  const options = await listOptions(connection, choice)
  if (options === undefined) return { id: word }
  const ids = options.slice(0, MOST_LISTED).map(({ id }) => exactLine(id))
  const more = options.length > MOST_LISTED ? ', …' : ''
  const hint = ids.length === 0 ? `No ${choice} exists yet.` : `Use one of ${ids.join(', ')}${more}, none.`
  const words = several ? word.split(/[\s,]+/).filter((each) => each !== '') : [word]
  const found = words.map((each) => findByName(each, options, ({ id, name = id }) => ({ id, name }), choice, hint))
  return found.length === 1 ? found[0]! : { id: found.map(({ id }) => id).join(',') }
}

/** How many options the answer to an unknown one lists. */
const MOST_LISTED = 10

/** Sets choices for the session that a word means, or for a new one, and returns its id. */
export async function sessionWithChoices(
  connection: GatewayConnection,
  word: string | undefined,
  chosen: Readonly<Record<string, string | null>>,
): Promise<string | undefined> {
  if (word === undefined) {
    const body = withoutNone(chosen)
    if (Object.keys(body).length === 0) return undefined
    return (await requestJson<SessionRow>(connection, '/api/sessions', { method: 'POST', body })).id
  }
  const session = await findSession(connection, word)
  if (Object.keys(chosen).length > 0) await setSessionChoices(connection, session, chosen)
  return session
}

/** The choices of a session that has not chosen before: there `none` is the same as no choice. */
export function withoutNone(chosen: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(chosen).filter((choice): choice is [string, string] => choice[1] !== null))
}

/** Sets choices of a session; `null` chooses none. They take effect at the next turn. */
export async function setSessionChoices(
  connection: GatewayConnection,
  session: string,
  chosen: Readonly<Record<string, string | null>>,
): Promise<void> {
  await requestJson(connection, apiPath('/api/sessions/', session), { method: 'PATCH', body: chosen })
}
