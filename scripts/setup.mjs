// Prepares a checkout: installs the packages of package-lock.json if they are missing or out of date, and
// makes sure that Node >= 24 exists. It uses plain syntax and no packages, since an old Node may run it first.
//
//   node scripts/setup.mjs                  prepares the checkout
//   node scripts/setup.mjs node FILE …      prepares, then runs the command with the Node of the checkout
//   node scripts/setup.mjs --page …         builds the page of the gateway, too
//   node scripts/setup.mjs --run …          installs only what running needs: no tools of the tests, and no Node where this
//                                           one is new enough. What needs more installs it later.
//
// The command runs from here and not after `&&`, because a shell remembers where it first found `node` and would
// use the old one again.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRunning } from './is-running.mjs'

const NEEDED = 24
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.foreword-setup')
const lockFile = join(root, '.foreword-setup.lock')
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
const words = process.argv.slice(2)
const program = words.findIndex((word) => !word.startsWith('--'))
const options = program === -1 ? words : words.slice(0, program)
const onlyRun = options.includes('--run')
const ownNodeIsNeeded = !onlyRun || !isNew(process.versions.node)
const stamp = `${createHash('sha256').update(lockText).digest('hex')} ${process.platform}-${process.arch}`

if (!isReady()) await makeReady()
const node = nodeToUse()
if (options.includes('--page')) await preparePage()
if (program !== -1) await run(words[program] === 'node' ? node : words[program], words.slice(program + 1))

/** The stamp of everything is good for running, too; one for running alone names whether it has a Node of its own. */
function isReady() {
  const stamps = ['all', ...(onlyRun ? ['run with node', ...(ownNodeIsNeeded ? [] : ['run'])] : [])]
  return stamps.some((extent) => textOf(stampFile) === stampOf(extent))
}

function stampOf(extent) {
  return `${stamp} ${extent}\n`
}

function isNew(version) {
  return Number(version.split('.')[0]) >= NEEDED
}

async function makeReady() {
  const release = await takeLock()
  try {
    if (isReady()) return
    if (!isInstalled()) await install()
    checkNode()
    mkdirSync(modules, { recursive: true })
    writeFileSync(stampFile, stampOf(onlyRun ? (ownNodeIsNeeded ? 'run with node' : 'run') : 'all'))
  } finally {
    release()
  }
}

/** The page is built once, however many start at a time. */
async function preparePage() {
  const { buildPage } = await import('./build-page.mjs')
  const release = await takeLock()
  try {
    buildPage(node)
  } catch (error) {
    fail(error.message)
  } finally {
    release()
  }
}

/** Whether node_modules has what is needed of the lockfile, as after a manual `npm ci`. */
function isInstalled() {
  if (ownNode() === undefined && !isNew(process.versions.node)) return false
  const installed = JSON.parse(textOf(join(modules, '.package-lock.json')) ?? '{}').packages ?? {}
  return Object.entries(JSON.parse(lockText).packages).every(([path, wanted]) => {
    if (!path.startsWith('node_modules/') || wanted.link || (onlyRun && wanted.dev)) return true
    const found = installed[path]
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

async function install() {
  say(existsSync(modules) ? 'the packages have changed, installing them anew' : 'installing packages, once')
  const npm = process.env.npm_execpath
  const extent = onlyRun ? ['--omit=dev'] : ['--include=dev']
  if (!ownNodeIsNeeded) extent.push('--workspace=web', '--include-workspace-root')
  const asked = ['ci', ...extent, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const code =
    npm !== undefined && /npm-cli\.[cm]?js$/.test(npm)
      ? await wait(process.env.npm_node_execpath ?? process.execPath, [npm, ...asked], ['ignore', 2, 2])
      : await wait('npm', asked, ['ignore', 2, 2], process.platform === 'win32')
  if (code === 0) return say('packages are installed')
  if (code === 130) fail('stopped half way. The next run begins again.', code)
  fail(
    code === undefined
      ? 'npm was not found. Install Node with npm from nodejs.org, then run this again.'
      : `\`npm ci\` ended with exit code ${code}; its own message stands above. Correct that, then run this again.`,
  )
}

/** The Node of the checkout if it runs on this machine. Otherwise the installed Node must be new enough. */
function checkNode() {
  const own = ownNode()
  if (own !== undefined && spawnSync(own, ['--version']).status === 0) return
  if (own !== undefined)
    for (const name of ['node', 'node.cmd', 'node.ps1']) rmSync(join(modules, '.bin', name), { force: true })
  nodeToUse()
}

function nodeToUse() {
  const own = existsSync(join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'))
    ? ownNode()
    : undefined
  if (own !== undefined) return own
  if (isNew(process.versions.node)) return process.execPath
  fail(
    `Foreword needs Node ${NEEDED} or newer. This is ${process.version}, and npm has no Node of its own for ` +
      `${process.platform}-${process.arch} here. Install Node ${NEEDED} or newer from nodejs.org, then run this again.`,
  )
}

/** The Node program that the private workspace `node/` installed for this platform. */
function ownNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'node', 'package.json'), 'utf8'))
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  return Object.keys(optionalDependencies)
    .filter((name) => name.endsWith(platform))
    .map((name) => join(modules, name, 'bin', file))
    .find((path) => existsSync(path))
}

/** Allows one setup at a time. The lock has the id of its process, so a lock of a dead process can be replaced. */
async function takeLock() {
  const mine = `${process.pid}\n`
  for (let waited = 0; ; waited++) {
    try {
      writeFileSync(lockFile, mine, { flag: 'wx' })
      return () => textOf(lockFile) === mine && rmSync(lockFile, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`${lockFile} cannot be written: ${error.message}`)
    }
    const holder = textOf(lockFile)
    if (holder !== undefined && holder !== '' && !isRunning(Number(holder))) takeAway(holder)
    else if (waited === 0)
      say(`another setup is running (process ${(holder ?? '').trim() || 'unknown'}), waiting for it`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Removes the lock of a dead process, but never a lock that a third process has just made. */
function takeAway(dead) {
  const aside = `${lockFile}.${process.pid}`
  try {
    renameSync(lockFile, aside)
    if (textOf(aside) === dead) rmSync(aside, { force: true })
    else renameSync(aside, lockFile)
  } catch {
    // Another process was faster.
  }
}

/** Replaces this process by the command if the platform can. Otherwise runs it, forwards signals and exits with its code. */
async function run(file, args) {
  if (process.execve && process.platform !== 'win32' && file === process.execPath)
    process.execve(file, [file, ...args], process.env)
  process.exitCode = (await wait(file, args, 'inherit')) ?? fail(`${file} was not found.`)
}

/** Runs a program and returns its exit code, or `undefined` if the program does not exist. */
function wait(file, args, stdio, shell = false) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: stdio === 'inherit' ? process.cwd() : root, stdio, shell })
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    let interrupted = false
    const pass = (signal) => {
      interrupted ||= signal === 'SIGINT' && stdio !== 'inherit'
      // A terminal sends Ctrl-C to the child as well. A second signal would interrupt its shutdown.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of signals) process.on(signal, pass)
    child.on('error', (error) => (error.code === 'ENOENT' ? resolve(undefined) : reject(error)))
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, pass)
      resolve(interrupted ? 130 : (code ?? 128 + (constants.signals[signal] ?? 15)))
    })
  })
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function say(text) {
  process.stderr.write(`foreword setup: ${text}\n`)
}

function fail(text, code = 1) {
  say(text)
  if (textOf(lockFile) === `${process.pid}\n`) rmSync(lockFile, { force: true })
  process.exit(code)
}
