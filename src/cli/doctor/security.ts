import { phrase } from '../../context.ts'
import { chmod, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, relative } from 'node:path'
import type { Finding, Io } from '../../capability.ts'
import { addressPasswords, systemClock, errorMessage, publicAddress, shellWords } from '../../platform.ts'
import type { Configuration, LoadedConfiguration } from '../../runtime.ts'
import type { Access, SandboxProgram } from '../../tool.ts'
import { programCapabilities } from '../io.ts'
import { findHomeStore, type HomeStore, withStore } from '../open-store.ts'
import { withNamedTokens } from '../tokens.ts'
import { checkToken } from './check-gateway.ts'
import { checkBits, checkRepositories, checkSetAside } from './check-left.ts'
import { checkAudit } from './check-store.ts'
import { checkSandbox } from './check-tools.ts'
import { ok, problem, warning } from './finding.ts'

/** A finding about one hole. Its id stays the same in later versions. */
export interface SecurityFinding extends Finding {
  /** `S01` and so on. */
  readonly id: string
  readonly isFixed?: true
}

/** Checks for every known hole, in the order of their ids. `fixes` corrects modes of files, and nothing else. */
export async function* examineSecurity(
  home: string,
  io: Io,
  { fixes }: { readonly fixes: boolean },
): AsyncGenerator<SecurityFinding> {
  const { homeAt, loadConfiguration, accessFilePath } = await import('../../runtime.ts')
  const { accessFile, accessPaths, readText } = await import('../../tool.ts')
  const { environment } = io
  const loaded = await loadConfiguration({ home, environment, capabilities: await programCapabilities(io) })
  const { configuration } = loaded
  const kept = await findHomeStore(home, io)
  const files = homeAt(home)
  const { providers, store, gateway } = configuration
  const keys = Object.values(providers).flatMap(({ apiKeyFile }) => apiKeyFile ?? [])
  if (typeof store === 'object' && store.passwordFile !== undefined) keys.push(store.passwordFile)
  if (gateway.openid?.clientSecretFile !== undefined) keys.push(gateway.openid.clientSecretFile)
  const policy = await accessFile(accessPaths(home), environment, readText).current()
  const file = await accessFilePath(home)
  const access = policy.type === 'access' ? policy.access : undefined
  const unread = problem('policy', phrase`the policy cannot be read, so no tool may run`, phrase`Correct ${file}.`)
  const none = ok('policy', phrase`no tool may run`)

  yield* label('S01', [await checkModes('home', [home, files.data], fixes)])
  const secret = [
    files.tokenFile,
    files.configurationFile,
    files.toolAccessFile,
    files.contextToolAccessFile,
    ...(kept.database ? [] : [kept.path]),
  ]
  yield* label('S02', [await checkModes('files', [...secret, ...keys], fixes)])
  yield* label('S03', orOk(await checkToken(home, configuration.gateway, io), 'token', phrase`hard to guess`))
  yield* label('S04', [await checkNamed(home, io)])
  yield* label('S05', [checkBind(configuration)])
  yield* label('S06', [access ? checkScope(access, file) : unread])
  yield* label('S07', [access ? await checkPrograms(access, file) : none])
  yield* label('S08', [access ? await checkSandbox(access, file) : none])
  yield* label('S09', [access ? await checkGrants(access, file) : none])
  yield* label('S10', [await checkWorkspace(home, configuration, environment['HOME'])])
  yield* label('S11', [await checkPath(configuration, environment['PATH'])])
  yield* label('S12', [checkWritten(loaded)])
  yield* label('S13', [checkModules(configuration)])
  yield* label('S14', orOk(await checkAudit(kept, home, io), 'audit', phrase`nothing to check yet`))
  yield* label('S15', [await checkReading()])
  yield* label('S16', [await checkWaiting(kept, home, io, configuration)])
  yield* label('S17', [await checkRepositories(configuration)])
  yield* label('S18', [await checkSetAside(files.data, configuration)])
  yield* label('S19', [await checkBits(configuration)])
}

function* label(id: string, findings: readonly (Finding & { readonly isFixed?: true })[]): Generator<SecurityFinding> {
  for (const finding of findings) yield { id, ...finding }
}

function orOk(findings: readonly Finding[], check: string, message: string): readonly Finding[] {
  return findings.length === 0 ? [ok(check, message)] : findings
}

async function checkModes(
  check: string,
  paths: readonly string[],
  fixes: boolean,
): Promise<Finding & { readonly isFixed?: true }> {
  if (process.platform === 'win32') return ok(check, phrase`managed by Windows`)
  const open: string[] = []
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined)
    if (facts !== undefined && (facts.mode & 0o077) !== 0) open.push(path)
  }
  if (open.length === 0) return ok(check, phrase`only you can read them`)
  const message = phrase`other users of this machine can read ${open.join(', ')}`
  const hint = phrase`Run \`foreword doctor --security --fix\`, or \`chmod go= ${shellWords(open)}\`.`
  if (!fixes) return warning(check, message, hint)
  try {
    for (const path of open) await chmod(path, (await stat(path)).mode & 0o700)
    return { ...ok(check, phrase`${message}: closed to them now`), isFixed: true }
  } catch (error) {
    return problem(
      check,
      phrase`${message}, and it cannot be changed: ${errorMessage(error)}`,
      phrase`Run \`chmod go=\` as its owner.`,
    )
  }
}

/** Whether the policy in force is another one than that of its file. */
async function checkWaiting(kept: HomeStore, home: string, io: Io, configuration: Configuration): Promise<Finding> {
  const { environment } = io
  const { pinnedPolicy, unconfinedPrograms } = await import('../../runtime.ts')
  const programs = unconfinedPrograms(configuration, await programCapabilities(io))
  try {
    const change = await withStore(
      kept,
      async (store) =>
        pinnedPolicy({ home, environment, store, clock: systemClock, writes: false, programs, warn() {} }).waiting?.(),
      () => undefined,
    )
    if (change === undefined) return ok('acceptance', phrase`the policy in force is that of its file`)
    const message = phrase`tool-access.json lets through more than you accepted, which does not count yet: ${change.words.join(' ').replace(/\.$/, '')}`
    const hint = phrase`Show the difference with \`foreword accept\`. If it is not yours, put the file back.`
    return warning('acceptance', message, hint)
  } catch (error) {
    return problem(
      'acceptance',
      phrase`what was accepted cannot be read: ${errorMessage(error)}`,
      phrase`Run \`foreword doctor\`.`,
    )
  }
}

async function checkNamed(home: string, io: Io): Promise<Finding> {
  try {
    const endless = (await withNamedTokens(home, io, (named) => named.list(), { reads: true })).filter(
      ({ expires, scope }) => expires === undefined && scope !== 'read',
    )
    if (endless.length === 0) return ok('tokens', phrase`every token that can do more than read has an end`)
    const names = endless.map(({ name, scope }) => `${name} (${scope})`).join(', ')
    return warning(
      'tokens',
      phrase`never expire: ${names}`,
      phrase`Revoke what nobody uses: \`foreword token revoke NAME\`.`,
    )
  } catch {
    return problem('tokens', phrase`the named tokens cannot be read`, phrase`Run \`foreword doctor\`, which says why.`)
  }
}

function checkBind({ gateway }: Configuration): Finding {
  if (/^(?:localhost|127\..*|\[?::1\]?)$/.test(gateway.bind))
    return ok('address', phrase`only this machine can connect`)
  return warning(
    'address',
    phrase`other machines can connect to ${gateway.bind}, and what they send is not encrypted`,
    phrase`Put a server with https before it, or run \`foreword config set gateway.bind 127.0.0.1\`.`,
  )
}

function checkScope({ global }: Access, file: string): Finding {
  if (global.enabled && global.mode === 'full') {
    return warning(
      'policy',
      phrase`every tool that is not disabled may run`,
      phrase`Set global.mode to "allowlist" in ${file}.`,
    )
  }
  return ok('policy', phrase`only what is named may run`)
}

async function checkPrograms({ shell }: Access, file: string): Promise<Finding> {
  if (!shell.enabled || shell.mode === 'off') return ok('programs', phrase`a model can run no command`)
  if (shell.approval === 'ask') return ok('programs', phrase`each command needs your approval`)
  if (shell.mode === 'full') {
    return warning(
      'programs',
      phrase`a model may run any command without asking`,
      phrase`Set its mode to "allowlist" in ${file}.`,
    )
  }
  const { commandPresets, prefixRisk } = await import('../../tool.ts')
  const running = commandPresets.filter(({ name, runsCode }) => runsCode && shell.presets.includes(name))
  const risky = shell.allowedPrefixes.filter((prefix) => prefixRisk(prefix) !== undefined)
  const free = shell.allowedPrefixes.length === 0 ? '' : phrase` and what begins with your prefixes, with any argument`
  const names = running.map(({ name }) => name).join(', ')
  const code = running.length === 0 ? '' : `; ${phrase`${names}: code of the project runs`}`
  if (risky.length === 0) return ok('programs', `${phrase`only commands that presets allow${free}`}${code}`)
  return warning(
    'programs',
    phrase`prefixes that lead to other programs: ${risky.map((prefix) => JSON.stringify(prefix)).join(', ')}`,
    phrase`Remove them from allowedPrefixes in ${file}. Presets know their arguments: \`foreword tools presets\`.`,
  )
}

async function checkGrants({ sandbox }: Access, file: string): Promise<Finding> {
  const wide = [...sandbox.readable, ...sandbox.writable].filter((path) =>
    /^(?:\/|~\/?|\/home|\/root|\/etc)$/.test(path),
  )
  if (wide.length > 0) {
    return warning(
      'grants',
      phrase`programs may reach all of ${wide.join(', ')}`,
      phrase`Name single folders in sandbox of ${file}.`,
    )
  }
  const { readdir } = await import('node:fs/promises')
  return describeDisks(await Promise.all(DISKS.map((path) => readdir(path).catch(() => []))))
}

const DISKS = ['/mnt', '/media', '/srv']

/** What programs in the sandbox can read of other disks. `held`: the names in each of the three folders. */
export function describeDisks(held: readonly (readonly string[])[]): Finding {
  const seen = DISKS.filter((_, index) => held[index]!.length > 0)
  const also =
    seen.length === 0 ? '' : `; ${phrase`they can also read what ${seen.join(' and ')} holds, as far as you can`}`
  // On Windows, these are its disks, with the homes of its people.
  if (held[0]!.some((name) => /^[a-z]$/.test(name))) {
    return warning(
      'grants',
      `${phrase`programs can read the disks of Windows`}${also}`,
      phrase`Switch them off in /etc/wsl.conf.`,
    )
  }
  return ok('grants', `${phrase`programs may reach single folders at most`}${also}`)
}

/** Where the workspace lies, and hard links in it that lead to what is kept from tools. */
async function checkWorkspace(home: string, { agent }: Configuration, person: string | undefined): Promise<Finding> {
  const workspace = await realpath(agent.workspace).catch(() => undefined)
  if (workspace === undefined) return ok('folder', phrase`there is none yet`)
  const hint = phrase`Name a folder of its own as agent.workspace.`
  const own = await Promise.all([home, person ?? home].map((path) => realpath(path).catch(() => path)))
  if (own.includes(workspace) || workspace === '/') {
    return warning('folder', phrase`tools work in ${workspace}, which holds more than their files`, hint)
  }
  const { linkedFiles, otherNames, personalSecrets } = await import('../../tool.ts')
  const kept = [home, ...personalSecrets({})]
  const { identities } = await linkedFiles(kept, [workspace], 1000)
  const linked = (await otherNames([workspace], identities).catch(() => [])).map(({ path }) =>
    relative(workspace, path),
  )
  if (linked.length === 0) return ok('folder', workspace)
  return problem(
    'folder',
    phrase`hard links to files of the home: ${linked.join(', ')}`,
    phrase`Remove them from ${workspace}.`,
  )
}

/** Folders of the `PATH` in which somebody else could put a program. */
async function checkPath({ agent }: Configuration, path = ''): Promise<Finding> {
  const workspace = await realpath(agent.workspace).catch(() => agent.workspace)
  const open: string[] = []
  for (const place of path.split(delimiter)) {
    const real = await realpath(place).catch(() => undefined)
    const facts = real === undefined ? undefined : await stat(real).catch(() => undefined)
    const isOpen = facts !== undefined && (facts.mode & 0o002) !== 0 && (facts.mode & 0o1000) === 0
    const isInside = real !== undefined && (real === workspace || real.startsWith(`${workspace}/`))
    if (isOpen || isInside || (place !== '' && !isAbsolute(place))) open.push(place)
  }
  if (open.length === 0) return ok('path', phrase`only you and the system put programs on the PATH`)
  return warning(
    'path',
    phrase`others can put programs into ${open.join(', ')}`,
    phrase`Remove them from the PATH of the gateway.`,
  )
}

/** Secrets that are written into the configuration instead of being named. */
function checkWritten({ configuration, origins }: LoadedConfiguration): Finding {
  const inFile = (key: string): boolean => origins[key]?.startsWith('config.json') === true
  const written = Object.entries(configuration.providers).flatMap(([name, { baseURL, headers = {} }]) => [
    ...(baseURL !== undefined && publicAddress(baseURL).replace(/\/$/, '') !== baseURL.replace(/\/$/, '')
      ? [`providers.${name}.baseURL`]
      : []),
    ...Object.keys(headers)
      .filter((header) => /auth|key|token|secret|cookie/i.test(header))
      .map((header) => `providers.${name}.headers.${header}`),
  ])
  const { store } = configuration
  const address = typeof store === 'object' ? store.address : (store ?? '')
  const database = inFile(typeof store === 'object' ? 'store.address' : 'store') && addressPasswords(address).length > 0
  const all = [...(database ? ['store'] : []), ...(inFile('gateway.token') ? ['gateway.token'] : []), ...written]
  if (all.length === 0) return ok('configuration', phrase`no secret is written into it`)
  return warning('configuration', phrase`holds secrets: ${all.join(', ')}`, phrase`Name a variable or a file instead.`)
}

function checkModules({ plugins, capabilities }: Configuration): Finding {
  const all = [...plugins, ...capabilities]
  if (all.length === 0) return ok('plugins', phrase`no code of others runs in the gateway`)
  const count = all.length === 1 ? phrase`one module runs` : phrase`${all.length} modules run`
  return warning('plugins', phrase`${count} with all your rights`, phrase`Read their code, and keep what you use.`)
}

/** Node's permissions cover the network: from Node 25 on. */
const NETWORK_IS_COVERED = process.allowedNodeEnvironmentFlags.has('--allow-net')

/** Whether the processes that read documents of others have more than these. */
async function checkReading(): Promise<Finding> {
  const { findNodeSandbox } = await import('../../tool.ts')
  return describeReading(await findNodeSandbox(), process.platform, NETWORK_IS_COVERED)
}

export function describeReading(found: SandboxProgram, platform: string, networkIsCovered: boolean): Finding {
  const check = 'documents'
  if (found.type === 'bubblewrap') return ok(check, phrase`read in a sandbox: no files, no network, no other processes`)
  if (found.isUnsure) return warning(check, phrase`not read for now: ${found.why}`, found.hint)
  const message = phrase`read under Node's permissions, without a sandbox: ${found.why}`
  if (platform === 'linux') return warning(check, message, found.hint)
  if (networkIsCovered) return ok(check, message)
  return warning(
    check,
    phrase`${message}; the permissions of this Node do not cover the network`,
    phrase`Use Node 25 or newer, whose permissions cover it.`,
  )
}
