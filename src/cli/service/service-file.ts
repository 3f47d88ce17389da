import { join } from 'node:path'
import { escapeMarkup, sha256 } from '../../platform.ts'

/** The service of one home, for the service manager of this machine. */
export interface ServicePlan {
  readonly manager: 'systemd' | 'launchd'
  /** Of the machine, with a user to run as; absent: of the person who is signed in. */
  readonly user?: string
  readonly node: string
  readonly program: string
  readonly home: string
}

/** The name of the unit, and the label of launchd. */
export const SERVICE_NAME = 'foreword'
export const SERVICE_LABEL = 'dev.foreword.gateway'

/** What the service manager reads, with the seal that shows later whether somebody has changed it. */
export function serviceText(plan: ServicePlan): string {
  const text = plan.manager === 'systemd' ? systemdUnit(plan) : launchdPlist(plan)
  return text.replace(UNSEALED, `Seal: ${sha256(text)}`)
}

/** `changed`: somebody has edited it, or another program wrote it. */
export function isOurs(text: string): boolean {
  const seal = SEAL.exec(text)?.[1]
  return seal !== undefined && sha256(text.replace(SEAL, UNSEALED)) === seal
}

const SEAL = /Seal: ([0-9a-f]{64})/
const UNSEALED = 'Seal: none'
const WRITTEN = `Written by "foreword service install", which replaces it while nobody has changed it. ${UNSEALED}`

/** `start --json` prints no token, so that the journal has none. */
const words = ({ node, program }: ServicePlan) => [node, program, 'start', '--json']

function systemdUnit(plan: ServicePlan): string {
  const { user, home } = plan
  const state = /^\/var\/lib\/([^/]+)$/.exec(home)?.[1]
  const lines = (...given: readonly (string | false | undefined)[]) =>
    given.filter((line) => typeof line === 'string').join('\n')
  return `${lines(
    `# ${WRITTEN}`,
    '[Unit]',
    'Description=Foreword',
    user && 'Wants=network-online.target',
    user && 'After=network-online.target',
    'StartLimitIntervalSec=60',
    'StartLimitBurst=5',
    '',
    '[Service]',
    // The name of the program itself may have no special characters.
    `ExecStart=/usr/bin/env ${words(plan)
      .map((word) => quoted(word.replaceAll('$', '$$$$')))
      .join(' ')}`,
    `Environment=${quoted(`FOREWORD_HOME=${home}`)}`,
    // The allocator of glibc then keeps some 20 MB less for threads.
    'Environment=MALLOC_ARENA_MAX=1',
    user ? 'EnvironmentFile=-/etc/foreword.env' : 'EnvironmentFile=-%h/.config/foreword.env',
    user && `User=${user}`,
    user && state && `StateDirectory=${state}`,
    user && state && 'StateDirectoryMode=0700',
    'UMask=0077',
    'Restart=on-failure',
    'RestartSec=5',
    '# Programs of tools are ended by the gateway.',
    'KillMode=mixed',
    'TimeoutStopSec=60',
    '',
    '# What does not get in the way of the sandbox of tools, which makes user namespaces and mounts of its own. Therefore not set:',
    '# RestrictNamespaces, PrivateUsers, SystemCallFilter, ProtectKernelTunables, ProtectControlGroups, ProtectProc, ProcSubset.',
    'NoNewPrivileges=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'SystemCallArchitectures=native',
    user && 'CapabilityBoundingSet=',
    user && 'ProtectSystem=full',
    user && 'ProtectKernelModules=yes',
    '',
    '[Install]',
    `WantedBy=${user ? 'multi-user' : 'default'}.target`,
  )}\n`
}

/** One word of a unit: `%` would begin a specifier. */
function quoted(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`
}

function launchdPlist(plan: ServicePlan): string {
  const { user, home } = plan
  const text = (value: string) => `<string>${escapeMarkup(value)}</string>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${WRITTEN} -->
<plist version="1.0">
<dict>
  <key>Label</key>${text(SERVICE_LABEL)}
  <key>ProgramArguments</key>
  <array>
${words(plan)
  .map((word) => `    ${text(word)}`)
  .join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>FOREWORD_HOME</key>${text(home)}
  </dict>
${user ? `  <key>UserName</key>${text(user)}\n` : ''}  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ThrottleInterval</key><integer>5</integer>
  <key>ExitTimeOut</key><integer>60</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key>${text('/dev/null')}
  <key>StandardErrorPath</key>${text(join(home, 'service.log'))}
</dict>
</plist>
`
}
