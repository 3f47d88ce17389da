import { exactLine } from '../context.ts'
import type { AnyCapability, ChoiceOption, CommandCall, CommandOption, GatewayConnection } from '../capability.ts'
import type { SessionRow } from '../session.ts'
import { requestJson, apiPath } from './answer.ts'
import { findSession } from './find-session.ts'
import { findByName } from './find-one.ts'

/** Something that a session can choose, such as `agent`. */
export interface CommandChoice {
  readonly name: string
  readonly summary: string
  /** What it means to choose none. */
  readonly none: string
}

/** In the order of the capabilities. */
export function sessionChoices(capabilities: readonly AnyCapability[] = []): readonly CommandChoice[] {
  return capabilities.flatMap(({ session = {} }) =>
    Object.entries(session).map(([name, { summary, none }]) => ({ name, summary, none })),
  )
}

/** `--agent ID`, `--subject ID` and so on. `about` is what a command says of each. */
export function choiceOptions(
  capabilities: readonly AnyCapability[],
  about: (summary: string) => string = (summary) => summary,
): Readonly<Record<string, CommandOption>> {
  const options = sessionChoices(capabilities).map(({ name, summary }) => {
    const phrase = summary.replace(/\.$/, '')
    return [name, { value: 'ID', summary: about(phrase.charAt(0).toLowerCase() + phrase.slice(1)) }] as const
  })
  return Object.fromEntries(options)
}

/** The same for a line of usage: `[--agent ID] [--subject ID]`. */
export function choiceUsage(capabilities: readonly AnyCapability[]): string {
  return sessionChoices(capabilities)
    .map(({ name }) => `[--${name} ID]`)
    .join(' ')
}

/** The choices that the options of a call name, by their ids. */
export async function readChoices(
  connection: GatewayConnection,
  call: CommandCall,
  capabilities: readonly AnyCapability[] = [],
): Promise<Readonly<Record<string, string>>> {
  const chosen: Record<string, string> = {}
  for (const { name } of sessionChoices(capabilities)) {
    const word = call.text(name)
    if (word !== undefined) chosen[name] = (await findOption(connection, name, word)).id
  }
  return chosen
}

/** What can be chosen; `undefined` where the gateway cannot list it. */
export async function listOptions(
  connection: GatewayConnection,
  choice: string,
): Promise<readonly ChoiceOption[] | undefined> {
  const path = apiPath('/api/choices/', choice)
  return (await requestJson<{ readonly options?: readonly ChoiceOption[] }>(connection, path)).options
}

/** What a word means: an id, a name in any case, or an unambiguous beginning. Where nothing can be listed it is an id. */
export async function findOption(connection: GatewayConnection, choice: string, word: string): Promise<ChoiceOption> {
  const options = await listOptions(connection, choice)
  if (options === undefined) return { id: word }
  const ids = options.slice(0, MOST_LISTED).map(({ id }) => exactLine(id))
  const more = options.length > MOST_LISTED ? ', …' : ''
  const hint = ids.length === 0 ? 'There is none yet.' : `Use one of ${ids.join(', ')}${more}.`
  return findByName(word, options, ({ id, name = id }) => ({ id, name }), choice, hint)
}

/** How many options an unknown one is answered with. */
const MOST_LISTED = 10

/** The session that a word means, with those choices: a new one where none is named and something is chosen. */
export async function sessionWithChoices(
  connection: GatewayConnection,
  word: string | undefined,
  chosen: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const session = word === undefined ? undefined : await findSession(connection, word)
  if (Object.keys(chosen).length === 0) return session
  if (session === undefined) {
    return (await requestJson<SessionRow>(connection, '/api/sessions', { method: 'POST', body: chosen })).id
  }
  await setSessionChoices(connection, session, chosen)
  return session
}

/** Chooses for a session from its next turn on; `null` chooses none. */
export async function setSessionChoices(
  connection: GatewayConnection,
  session: string,
  chosen: Readonly<Record<string, string | null>>,
): Promise<void> {
  await requestJson(connection, apiPath('/api/sessions/', session), { method: 'PATCH', body: chosen })
}
