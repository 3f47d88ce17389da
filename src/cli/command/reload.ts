import { countedText, exactMoneyText } from '../../context.ts'
import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io, ReloadResult } from '../../capability.ts'
import { defined, systemClock } from '../../platform.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, print, printJson, programCapabilities } from '../io.ts'
import { findHomeStore, withWritableStore } from '../open-store.ts'
import { findGateway } from '../connection.ts'
import { withLocalTimes } from '../time-text.ts'

export const reloadCommand: Command = {
  name: 'reload',
  group: 'set-up',
  summary: 'read prompts, plugins and the files of capabilities again',
  usage: ['reload [--json]', 'reload --now [SESSION] [--json]'],
  details:
    'The running gateway reads its files again, between turns. Of `config.json` it reads only `budgets` and `people`, and `tool-access.json` ' +
    'before every step and every call. A session goes on with the tools and the system message that its calls began with: what ' +
    'changes is announced to the model behind the history, and composed into the beginning at the next cut, at a change of the ' +
    'model, or after a pause in which the cache of the provider ends. `--now` composes it at the next call, of one session or ' +
    'of all that were active in the last day, and shows what that costs. ' +
    'Gateways on one database get the settings of the team in `config.json` from here, and read them again.',
  words: { least: 0, most: 1 },
  options: {
    json: jsonOption,
    now: { summary: 'compose the beginning of sessions at their next call, and show what that costs' },
  },
  run: reloadGateway,
}

async function reloadGateway(call: CommandCall, io: Io): Promise<number> {
  if (call.words.length > 0 && !call.has('now')) {
    throw usageFailure('`foreword reload` reads everything again.', 'For one session: foreword reload --now SESSION')
  }
  const unshared = await shareSettings(call, io)
  const connection = await findRunning(call, io)
  if (connection === undefined) {
    const { forgetLearnedLimits } = await import('../../runtime.ts')
    const store = await findHomeStore(call.home, io)
    if (store.exists()) await withWritableStore(store, forgetLearnedLimits)
    note(io, 'No gateway runs on this home. The next start reads everything.')
    if (call.json) printJson(io, { reloaded: false, warnings: unshared })
    else for (const text of unshared) note(io, text, 'yellow')
    return 0
  }
  const [word] = call.words
  const session = word === undefined ? undefined : await findSession(connection, word)
  const query = new URLSearchParams(call.has('now') ? { now: 'true', ...(session && { session }) } : {})
  const path = query.size > 0 ? `/api/reload?${query.toString()}` : '/api/reload'
  const { warnings: found, folded } = await requestJson<ReloadResult>(connection, path, { method: 'POST' })
  const warnings = [...new Set([...unshared, ...found])]
  if (call.json) printJson(io, { reloaded: true, warnings, ...defined({ folded }) })
  else print(io, ['Reloaded.', ...foldLines(folded), ...warnings.map(withLocalTimes)].join('\n'))
  return 0
}

/** What was changed in the files here goes to the other gateways, also where this one stands by for the home of the owner. */
async function shareSettings({ home }: CommandCall, io: Io): Promise<readonly string[]> {
  const { loadConfiguration, teamSettings } = await import('../../runtime.ts')
  const { environment } = io
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  const at = { home, environment, capabilities: await programCapabilities(io), clock: systemClock, warn }
  const { store } = (await loadConfiguration(at)).configuration
  if (store === undefined) return []
  const { shareOnce } = await teamSettings()
  const { refused } = await shareOnce(at, store)
  return [...warnings, ...refused]
}

function foldLines(folded: ReloadResult['folded']): readonly string[] {
  if (!folded) return []
  if (folded.length === 0) return ['Every session begins as it would be composed now: nothing is sent again.']
  return folded.map(({ session, tokens, money, cut }) => {
    const cost =
      money === undefined ? '' : money < 0 ? ` (${exactMoneyText(-money)} less)` : ` (${exactMoneyText(money)})`
    const sent = tokens === undefined ? 'composed' : `${countedText(tokens, 'token')} sent again${cost}`
    const turns = cut && `${countedText(cut.turns, 'turn')} (${countedText(cut.tokens, 'token')})`
    return `${session}: ${sent}${turns === undefined ? '' : `, and ${turns} left out for a note,`} at the next call.`
  })
}

async function findRunning({ home }: CommandCall, io: Io): Promise<GatewayConnection | undefined> {
  if (io.connect !== undefined) return await io.connect(home)
  const found = await findGateway(home)
  return found.type === 'gateway' ? found.connection : undefined
}
