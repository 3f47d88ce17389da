import { resolve } from 'node:path'
import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  apiPath,
  CommandFailure,
  commandWithSubcommands,
  confirmAction,
  connectionPurpose,
  findByName,
  findRecord,
  findSession,
  note,
  print,
  printChange,
  printJson,
  printList,
  requestJson,
  requestList,
  rowTable,
  safeForTerminal,
  changeCommand,
  sendRequest,
  answerCommand,
  singleLine,
  table,
  usageFailure,
  withConnection,
  yesOption,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import { defined } from '../../../platform.ts'
import { budgetText, parseBudget, missedRules, parseCondition } from '../schedule-record.ts'
import {
  type ScheduleRunView,
  type ScheduleView,
  clockText,
  dueText,
  nextText,
  runResultText,
  runCostText,
} from '../run-view.ts'
import { parseTimeRule } from '../time/time-rule.ts'

const editOptions =
  '[--when WHEN] [--text TEXT] [--budget MOST] [--missed RULE] [--if-changed WHAT] [--time-zone ZONE] [--name NAME] [--json]'
const addOptions = '--budget MOST [--missed RULE] [--if-changed WHAT] [--time-zone ZONE] [--name NAME] [--json]'

export const scheduleCommand = commandWithSubcommands({
  name: 'schedule',
  group: 'talk',
  summary: 'messages that come by themselves at set times, each with a budget',
  details:
    'WHEN is `every day at 8:30`, `every weekday at 8`, `every monday and friday at 18:00`, `every 15 minutes`, ' +
    '`on the first of the month at 9`, `at 2026-12-01 09:00`, or five fields of cron. Each due time makes one message, ' +
    'through restarts and changes of the clocks, while a gateway runs (`foreword start`). ID is an id, a name, or an ' +
    'unambiguous beginning of either.',
  options: {
    when: { value: 'WHEN', summary: 'edit: when it is due; a new time counts from now on' },
    text: { value: 'TEXT', summary: 'edit: the message of every run' },
    session: { value: 'SESSION', summary: 'add, edit: every run goes on in this session' },
    new: { summary: 'add, edit: every run begins a session of its own' },
    agent: { value: 'AGENT', summary: 'add, edit: the custom agent that answers in the new sessions; edit: `none`' },
    budget: {
      value: 'MOST',
      summary: 'add, edit: the most that one run may use, such as 0.50 (US dollars) or 20000tokens',
    },
    missed: {
      value: 'RULE',
      summary: 'add, edit: of due times without a gateway, skip all, make up the newest once (default), or all',
    },
    'if-changed': {
      value: 'WHAT',
      summary:
        'add, edit: run only where file:PATH, url:ADDRESS or the output of program:COMMAND has changed; edit: `none`',
    },
    'time-zone': { value: 'ZONE', summary: 'add, edit: such as Europe/Berlin; default: the configured one' },
    name: { value: 'NAME', summary: 'add, edit: its name; default: the beginning of the text' },
    yes: yesOption,
  },
  first: 'list',
  subcommands: {
    list: { usage: '[--json]', run: listSchedules },
    show: { usage: 'ID [--json]', run: answerCommand(fetchSchedule, printSchedule) },
    add: {
      usage: [`WHEN TEXT --new [--agent AGENT] ${addOptions}`, `WHEN TEXT --session SESSION ${addOptions}`],
      forPersons: 'add schedules',
      run: addSchedule,
    },
    edit: {
      usage: [`ID [--new] [--agent AGENT] ${editOptions}`, `ID --session SESSION ${editOptions}`],
      forPersons: 'edit schedules',
      run: editSchedule,
    },
    pause: {
      usage: 'ID [--json]',
      forPersons: 'pause schedules',
      run: changeCommand(
        (connection, call) => changeSchedule(connection, call, { paused: true }),
        ({ name }) => `Paused ${exactLine(name)}. Due times that pass until \`resume\` do not happen.`,
      ),
    },
    resume: {
      usage: 'ID [--json]',
      forPersons: 'resume schedules',
      run: changeCommand(
        (connection, call) => changeSchedule(connection, call, { paused: false }),
        (resumed) => `Resumed ${exactLine(resumed.name)}: next ${nextText(resumed)} (${resumed.timeZone}).`,
      ),
    },
    run: { usage: 'ID [--json]', forPersons: 'run schedules', run: runSchedule },
    remove: { usage: 'ID [--yes] [--json]', forPersons: 'remove schedules', run: removeSchedule },
  },
})

async function listSchedules(call: CommandCall, io: Io): Promise<number> {
  const { schedules: all, enabled } = await withConnection(call.home, io, 'read', fetchSchedules)
  if (!enabled) note(io, 'Schedules are switched off: none is due. Set `schedules.enabled` to true.')
  const empty = 'No schedules yet. Add one with `foreword schedule add WHEN TEXT --new --budget 0.50`.'
  return printList(all, { empty, table: (rows) => scheduleTable(rows, io) }, call, io)
}

function scheduleTable(schedules: readonly ScheduleView[], io: Io): string {
  const rows = schedules.map((each) => ({
    id: each.id,
    name: exactLine(each.name),
    when: exactLine(each.when),
    next: nextText(each),
    budget: budgetText(each.budget),
    last: each.last === undefined ? '' : `${clockText(each.last.due, each.timeZone)} ${runResultText(each.last)}`,
  }))
  return rowTable(rows, io, { spare: ['last', 'budget', 'when'] })
}

interface ScheduleList {
  readonly schedules: readonly ScheduleView[]
  readonly enabled: boolean
}

function fetchSchedules(connection: GatewayConnection): Promise<ScheduleList> {
  return requestJson<ScheduleList>(connection, '/api/schedules')
}

async function findSchedule(connection: GatewayConnection, { words }: CommandCall): Promise<ScheduleView> {
  const { schedules } = await fetchSchedules(connection)
  return findByName(words[1]!, schedules, (schedule) => schedule, 'schedule', 'List them with `foreword schedule`.')
}

type ScheduleWithRuns = ScheduleView & { readonly runs: readonly ScheduleRunView[] }

async function fetchSchedule(connection: GatewayConnection, call: CommandCall): Promise<ScheduleWithRuns> {
  const schedule = await findSchedule(connection, call)
  return { ...schedule, runs: await requestList(connection, apiPath('/api/schedules/', schedule.id, '/runs'), 'runs') }
}

function printSchedule(schedule: ScheduleWithRuns, io: Io): void {
  const { id, name, when, timeZone, session, agent, budget, missed, ifChanged, next, text, runs } = schedule
  print(io, exactLine(name), 'bold')
  const rows = [
    ['id', id],
    ['when', `${exactLine(when)} (${timeZone})`],
    ['next', schedule.state === 'active' ? next.map((time) => clockText(time, timeZone)).join(', ') : schedule.state],
    ['session', session ?? (agent === undefined ? 'a new one each time' : `a new one each time, with ${agent}`)],
    ['budget', `${budgetText(budget)} a run`],
    ['missed', missed],
    ...(ifChanged === undefined ? [] : [['if changed', exactLine(ifChanged)]]),
  ]
  print(io, table(rows))
  print(io, `\n${safeForTerminal(text.trimEnd(), io.stdout)}`)
  if (runs.length === 0) return
  const lines = runs.map((run) => ({
    due: `${clockText(run.due, timeZone)}${run.by === 'person' ? ' by hand' : ''}`,
    result: runResultText(run),
    cost: runCostText(run),
    session: run.result.type === 'sent' ? run.result.session : '',
    turn: run.result.type === 'sent' ? run.result.turn : '',
  }))
  print(io, `\n${rowTable(lines, io, { spare: ['turn'] })}`)
}

async function addSchedule(call: CommandCall, io: Io): Promise<number> {
  const [, when, text] = call.words
  const [word, agentWord, most] = ['session', 'agent', 'budget'].map(call.text)
  if ((word === undefined) !== call.has('new')) {
    throw usageFailure('Where do the runs go?', 'Give either `--session SESSION` or `--new`.')
  }
  if (most === undefined) {
    throw usageFailure('A schedule needs a budget.', 'Give the most that one run may use, such as `--budget 0.50`.')
  }
  const { ifChanged, ...given } = optionalFields(call)
  const fields = { ...given, ...defined({ ifChanged: ifChanged ?? undefined }), when, text }
  parseTimeRule(when!)
  const added = await withConnection(call.home, io, 'write', async (connection) => {
    const session = word === undefined ? undefined : await findSession(connection, word)
    const agent = agentWord === undefined ? undefined : (await findRecord(connection, 'agent', agentWord)).id
    const body = { ...fields, ...defined({ session, agent }) }
    return requestJson<ScheduleView>(connection, '/api/schedules', { method: 'POST', body })
  })
  const sentence = `Added ${exactLine(added.name)} (${added.id}): ${exactLine(added.when)}, ${dueText(added)}.`
  return printChange(added, `${sentence}\nIt runs while the gateway does: \`foreword start\`.`, call, io)
}

function optionalFields(call: CommandCall) {
  const [most, rule, changed] = ['budget', 'missed', 'if-changed'].map(call.text)
  if (rule !== undefined && !missedRules.some((known) => known === rule)) {
    throw usageFailure(`Unknown rule "${rule}".`, `Use one of ${missedRules.join(', ')}.`)
  }
  return defined({
    budget: most === undefined ? undefined : parseBudget(most),
    missed: rule,
    name: call.text('name'),
    timeZone: call.text('time-zone'),
    ifChanged: changed === undefined ? undefined : changed === NONE ? null : absoluteCondition(changed),
  })
}

const NONE = 'none'

async function editSchedule(call: CommandCall, io: Io): Promise<number> {
  const [word, agentWord, when, text] = ['session', 'agent', 'when', 'text'].map(call.text)
  if (word !== undefined && (call.has('new') || agentWord !== undefined)) {
    throw usageFailure(
      'Where do the runs go?',
      'Give either `--session SESSION`, or `--new` and perhaps `--agent AGENT`.',
    )
  }
  const fields = optionalFields(call)
  if (when !== undefined) parseTimeRule(when)
  const edited = await withConnection(call.home, io, 'write', async (connection) => {
    const { id } = await findSchedule(connection, call)
    const session = word === undefined ? (call.has('new') ? null : undefined) : await findSession(connection, word)
    const agent =
      agentWord === undefined || agentWord === NONE
        ? agentWord && null
        : (await findRecord(connection, 'agent', agentWord)).id
    const body = defined({ ...fields, when, text, session, agent })
    if (Object.keys(body).length === 0) {
      throw usageFailure(
        'Nothing is to be changed.',
        'Give what is to be different, such as `--when "every day at 9"`.',
      )
    }
    return requestJson<ScheduleView>(connection, apiPath('/api/schedules/', id), { method: 'PATCH', body })
  })
  return printChange(
    edited,
    `Changed ${exactLine(edited.name)}: ${exactLine(edited.when)}, ${dueText(edited)}.`,
    call,
    io,
  )
}

/** A path of a command line is meant from the folder of the person. */
function absoluteCondition(text: string): string {
  const { type, value } = parseCondition(text)
  return type === 'file' ? `file:${resolve(value)}` : `${type}:${value}`
}

async function changeSchedule(connection: GatewayConnection, call: CommandCall, body: object): Promise<ScheduleView> {
  const { id } = await findSchedule(connection, call)
  return requestJson<ScheduleView>(connection, apiPath('/api/schedules/', id), { method: 'PATCH', body })
}

async function runSchedule(call: CommandCall, io: Io): Promise<number> {
  const run = await withConnection(call.home, io, 'write', async (connection) => {
    const { id } = await findSchedule(connection, call)
    return requestJson<ScheduleRunView>(connection, apiPath('/api/schedules/', id, '/run'), { method: 'POST' })
  })
  const { result } = run
  if (call.json) printJson(io, run)
  else if (result.type === 'sent') note(io, `Sent, as ${result.turn} of ${result.session}.`)
  if (result.type === 'sent') return 0
  throw new CommandFailure(
    'invalid-input',
    `Nothing was sent: ${result.type === 'failed' ? result.reason : result.type}`,
  )
}

async function removeSchedule(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const { id, name } = await findSchedule(connection, call)
    const shown = singleLine(exactLine(name), 60)
    if (!(await confirmAction(`Remove the schedule ${shown}?`, 'Nothing was removed.', call, io))) return 1
    await sendRequest(connection, apiPath('/api/schedules/', id), { method: 'DELETE' })
    return printChange({ removed: id }, `Removed ${shown}. The sessions of its runs stay.`, call, io)
  })
}
