import { join } from 'node:path'
import type { CommandCall, Io } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { homeDirectory } from '../arguments.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { note, print, printAnswer, printChange } from '../io.ts'
import { type ServicePlan, serviceText } from '../service/service-file.ts'
import { installService, removeService, servicePath, serviceStatus, thisMachine } from '../service/service-manager.ts'
import { commandWithSubcommands } from '../subcommand.ts'

const program = join(import.meta.dirname, '../../../bin/foreword.js')

export const serviceCommand = commandWithSubcommands({
  name: 'service',
  group: 'set-up',
  summary: 'start the gateway with the machine: a service of systemd or launchd',
  details:
    'Without --system it is a service of yours, which runs while you are signed in; `loginctl enable-linger` lets it run without you. ' +
    'With --system it is a service of the machine, for root, and runs as the user of --as, on the home /var/lib/foreword unless ' +
    'another is given. A file that somebody has changed is kept, unless --force is given.',
  options: {
    system: { summary: 'a service of the machine, not of this person' },
    as: { value: 'USER', summary: 'the user that a service of the machine runs as (default: foreword)' },
    'dry-run': { summary: 'print the file that would be written, and change nothing' },
    force: { summary: 'replace or remove a file that somebody has changed' },
  },
  first: 'status',
  subcommands: {
    status: { usage: '[--system] [--json]', run: showStatus },
    install: {
      usage: '[--system] [--as USER] [--dry-run] [--force] [--json]',
      forPersons: 'install a service',
      run: install,
    },
    remove: { usage: '[--system] [--force] [--json]', forPersons: 'remove a service', run: remove },
  },
})

function place(call: CommandCall, io: Io) {
  const as = call.text('as')
  if (as !== undefined && !call.has('system'))
    throw usageFailure('--as needs --system.', 'A service of yours runs as you.')
  if (as !== undefined && !/^[a-z_][a-z0-9_-]{0,31}$/i.test(as))
    throw usageFailure(`"${as}" is no name of a user.`, 'Name a user of this machine.')
  return {
    machine: thisMachine(io.environment),
    ...defined({ user: call.has('system') ? (as ?? 'foreword') : undefined }),
  }
}

async function install(call: CommandCall, io: Io): Promise<number> {
  const { machine, user } = place(call, io)
  const plan: ServicePlan = {
    manager: machine.manager,
    ...defined({ user }),
    node: process.execPath,
    program,
    home: homeOfService(call, io),
  }
  for (const path of [plan.node, plan.program, plan.home]) {
    if (/[\n\r]/.test(path))
      throw new CommandFailure('unsupported', `${JSON.stringify(path)} has a line break, which no unit can name.`)
  }
  if (call.has('dry-run')) {
    const file = servicePath({ machine, ...defined({ user }) })
    const text = serviceText(plan)
    if (!call.json) note(io, `Would write ${file}:`)
    return printAnswer({ file, text }, () => text.trimEnd(), call, io)
  }
  if (user !== undefined) await requireUser(user, machine)
  const done = await installService(plan, machine, call.has('force'))
  const { action, file, why } = done
  const written = action === 'unchanged' ? `${file} is as it was written before.` : `Wrote ${file}.`
  const state = why === undefined ? 'The service runs, and starts with the machine.' : `It was not started: ${why}`
  return printChange(done, `${written} ${state}`, call, io)
}

/** `--system` has a home of its own where none is named: that of root is nobody's. */
function homeOfService({ home, has }: CommandCall, { environment }: Io): string {
  const { FOREWORD_HOME: _home, ...others } = environment
  return has('system') && home === homeDirectory(undefined, others) ? '/var/lib/foreword' : home
}

async function requireUser(user: string, machine: ReturnType<typeof thisMachine>): Promise<void> {
  if (machine.uid !== 0) {
    throw new CommandFailure('file', 'Only root can install a service of the machine.', {
      hint: 'Run it with sudo, or without --system for a service of yours.',
    })
  }
  if ((await machine.run('id', ['-u', user])).ok) return
  throw new CommandFailure('not-found', `There is no user ${user}.`, {
    hint: `Make one: \`useradd --system --home-dir /var/lib/foreword ${user}\`.`,
  })
}

async function showStatus(call: CommandCall, io: Io): Promise<number> {
  const status = await serviceStatus(place(call, io))
  const { readClaim } = await import('../../session.ts')
  const gateway = readClaim(homeOfService(call, io))
  const facts = { ...status, gateway: gateway ?? null }
  return printAnswer(
    facts,
    () => {
      const { file, state, active, enabled }: { file: string; state: string; active?: string; enabled?: string } =
        status
      const asked = active === undefined ? 'no service manager runs here' : [active, enabled].filter(Boolean).join(', ')
      print(io, `file      ${file} (${state})`)
      print(io, `service   ${asked}`)
      print(
        io,
        `gateway   ${gateway ? `process ${gateway.pid}${gateway.address ? ` at ${gateway.address}` : ''}` : 'none runs on this home'}`,
      )
    },
    call,
    io,
  )
}

async function remove(call: CommandCall, io: Io): Promise<number> {
  const where = place(call, io)
  if (where.user !== undefined && where.machine.uid !== 0) {
    throw new CommandFailure('file', 'Only root can remove a service of the machine.', { hint: 'Run it with sudo.' })
  }
  const done = await removeService(where, call.has('force'))
  const sentence =
    done.action === 'absent' ? `There is no ${done.file}.` : `Removed ${done.file}. The home stays as it is.`
  return printChange(done, sentence, call, io)
}
