import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { defined, writeFileAtomically } from '../../platform.ts'
import { CommandFailure } from '../failure.ts'
import { isOurs, SERVICE_LABEL, SERVICE_NAME, type ServicePlan, serviceText } from './service-file.ts'

export interface ServiceMachine {
  readonly manager: ServicePlan['manager']
  /** Where files of services of the machine, and of this person, are. */
  readonly systemFolder: string
  readonly userFolder: string
  readonly uid: number
  /** Whether the service manager can be asked. In a container there is often none. */
  readonly answers: boolean
  /** Runs a program of the service manager. Never rejects. */
  run(program: string, words: readonly string[]): Promise<{ readonly ok: boolean; readonly output: string }>
}

/** This machine. Throws where there is no service manager that is known. */
export function thisMachine(environment: Readonly<Record<string, string | undefined>>): ServiceMachine {
  const { HOME = homedir(), XDG_CONFIG_HOME } = environment
  const { uid } = userInfo()
  if (process.platform === 'linux') {
    return {
      manager: 'systemd',
      systemFolder: '/etc/systemd/system',
      userFolder: join(XDG_CONFIG_HOME || join(HOME, '.config'), 'systemd', 'user'),
      uid,
      answers: existsSync('/run/systemd/system'),
      run,
    }
  }
  if (process.platform === 'darwin') {
    const [systemFolder, userFolder] = ['/Library/LaunchDaemons', join(HOME, 'Library', 'LaunchAgents')]
    return { manager: 'launchd', systemFolder, userFolder, uid, answers: true, run }
  }
  throw new CommandFailure('unsupported', `There is no service for ${process.platform} yet.`, {
    hint: 'Let the task scheduler run `foreword start` when you sign in.',
  })
}

function run(program: string, words: readonly string[]): ReturnType<ServiceMachine['run']> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}`.trim() }),
    )
  })
}

type OnMachine = Pick<ServicePlan, 'user'> & { readonly machine: ServiceMachine }

/** The file of the service, whether it is there or not. */
export function servicePath({ machine, user }: OnMachine): string {
  const folder = user === undefined ? machine.userFolder : machine.systemFolder
  return join(folder, machine.manager === 'systemd' ? `${SERVICE_NAME}.service` : `${SERVICE_LABEL}.plist`)
}

/** `changed`: somebody has edited the file, or another program wrote it. */
export type ServiceState = 'absent' | 'installed' | 'changed'

function readState(path: string): { readonly state: ServiceState; readonly text?: string } {
  if (!existsSync(path)) return { state: 'absent' }
  const text = readFileSync(path, 'utf8')
  return { state: isOurs(text) ? 'installed' : 'changed', text }
}

/** Writes the file and starts the service with it. Throws where somebody has changed the file, unless `force` is set. */
export async function installService(plan: ServicePlan, machine: ServiceMachine, force: boolean) {
  const where = { machine, ...defined({ user: plan.user }) }
  const path = servicePath(where)
  const { state, text: before } = readState(path)
  if (state === 'changed' && !force) throw changedFailure(path)
  const text = serviceText(plan)
  const action = before === undefined ? 'installed' : before === text ? 'unchanged' : 'updated'
  if (action !== 'unchanged') {
    mkdirSync(dirname(path), { recursive: true })
    await writeFileAtomically(path, text, { mode: 0o644 })
  }
  const isUser = plan.user === undefined
  const fault = await tell(
    machine,
    machine.manager === 'systemd'
      ? [
          ['systemctl', ...scope(isUser), 'daemon-reload'],
          ['systemctl', ...scope(isUser), 'enable', SERVICE_NAME],
          ['systemctl', ...scope(isUser), action === 'updated' ? 'restart' : 'start', SERVICE_NAME],
        ]
      : [...(action === 'updated' ? [bootout(where)] : []), ['launchctl', 'bootstrap', domain(where), path]],
    // It may be loaded already, or not yet.
    machine.manager === 'launchd',
  )
  return { action, file: path, started: fault === undefined, ...defined({ why: fault }) } as const
}

/** Stops the service and removes its file. Throws where somebody has changed the file, unless `force` is set. */
export async function removeService(where: OnMachine, force: boolean) {
  const { machine, user } = where
  const path = servicePath(where)
  const { state } = readState(path)
  if (state === 'absent') return { action: 'absent', file: path } as const
  if (state === 'changed' && !force) throw changedFailure(path)
  const isSystemd = machine.manager === 'systemd'
  const isUser = user === undefined
  const stopped = await tell(
    machine,
    isSystemd ? [['systemctl', ...scope(isUser), 'disable', '--now', SERVICE_NAME]] : [bootout(where)],
    !isSystemd,
  )
  rmSync(path)
  if (isSystemd) await tell(machine, [['systemctl', ...scope(isUser), 'daemon-reload']], true)
  return { action: 'removed', file: path, ...defined({ why: stopped }) } as const
}

/** Whether the file is there and as it was written, and what the service manager says of it. */
export async function serviceStatus(where: OnMachine) {
  const { machine, user } = where
  const path = servicePath(where)
  const { state } = readState(path)
  if (!machine.answers) return { file: path, state }
  if (machine.manager === 'launchd') {
    const { ok } = await machine.run('launchctl', ['print', `${domain(where)}/${SERVICE_LABEL}`])
    return { file: path, state, active: ok ? 'loaded' : 'not loaded' }
  }
  const ask = async (word: string) =>
    (await machine.run('systemctl', [...scope(user === undefined), word, SERVICE_NAME])).output.split('\n', 1)[0]
  return { file: path, state, active: await ask('is-active'), enabled: await ask('is-enabled') }
}

const scope = (isUser: boolean): readonly string[] => (isUser ? ['--user'] : [])
const domain = ({ machine, user }: OnMachine): string => (user === undefined ? `gui/${machine.uid}` : 'system')
const bootout = (where: OnMachine): readonly [string, ...string[]] => [
  'launchctl',
  'bootout',
  `${domain(where)}/${SERVICE_LABEL}`,
]

/** Runs the commands in order. Returns why the first one that failed did; with `goesOn` the others still run. */
async function tell(
  machine: ServiceMachine,
  commands: readonly (readonly string[])[],
  goesOn: boolean,
): Promise<string | undefined> {
  if (!machine.answers) return 'No service manager runs on this machine.'
  let fault: string | undefined
  for (const [program = '', ...words] of commands) {
    const { ok, output } = await machine.run(program, words)
    fault = ok ? undefined : `\`${[program, ...words].join(' ')}\` failed: ${output}`
    if (!ok && !goesOn) return fault
  }
  return fault
}

function changedFailure(path: string): CommandFailure {
  return new CommandFailure(
    'changed',
    `${path} is not as \`foreword service install\` wrote it: somebody has changed it.`,
    { hint: 'Keep your changes in a drop-in (`systemctl edit foreword`), or add --force to lose them.' },
  )
}
