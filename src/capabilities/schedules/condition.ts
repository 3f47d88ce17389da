import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type CapabilityHost, pageReader } from '../../capability.ts'
import { errorMessage, ForewordError, sha256 } from '../../platform.ts'

export interface Condition {
  readonly type: 'file' | 'url' | 'program'
  readonly value: string
}

/** Reads `file:PATH`, `url:ADDRESS` and `program:COMMAND`. Throws `invalid-input`. */
export function parseCondition(text: string): Condition {
  const [, type, value = ''] = /^(file|url|program):(.*)$/s.exec(text.trim()) ?? []
  if (type === undefined || value.trim() === '') throw unreadable(text, 'it names no file, address or program')
  if (type === 'url' && !/^https?:$/.test(URL.parse(value.trim())?.protocol ?? '')) {
    throw unreadable(text, 'its address is not one of http or https')
  }
  return { type: type as Condition['type'], value: value.trim() }
}

function unreadable(text: string, why: string): ForewordError {
  const hint = 'Write file:PATH, url:ADDRESS or program:COMMAND.'
  return new ForewordError(
    'invalid-input',
    `Cannot read the condition ${JSON.stringify(text.slice(0, 100))}: ${why}.`,
    {},
    { hint },
  )
}

/** What a condition works with. */
export type ConditionHost = Pick<CapabilityHost, 'home' | 'capability' | 'runtime'>

/**
 * A digest of the present state, without a model. Rejects where it cannot be read, or where its program may not run
 * without a person.
 */
export async function conditionDigest(
  host: ConditionHost,
  { type, value }: Condition,
  signal: AbortSignal,
): Promise<string> {
  if (type === 'file') return fileDigest(resolve(host.home.workspace, value), signal)
  return type === 'url' ? pageDigest(host, value, signal) : programDigest(host, value)
}

/** A file that is not there has a digest, too: that it comes is a change. */
async function fileDigest(path: string, signal: AbortSignal): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fault(`The file cannot be read (${error.code ?? 'unknown'}).`)
  })
  if (found === undefined) return 'none'
  if (!found.isFile()) throw fault('It is not a file.')
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal }).catch((error: unknown) => {
    throw fault(`The file cannot be read: ${errorMessage(error)}`)
  })
  return hash.digest('hex')
}

async function pageDigest({ capability }: ConditionHost, address: string, signal: AbortSignal): Promise<string> {
  const web = capability(pageReader)
  if (!web) throw fault('Addresses cannot be read here: the capability `web` is not in use.')
  const page = await web.fetch(address, signal)
  if (page.type === 'failed') throw fault(`The address cannot be read: ${page.reason}.`)
  return sha256(page.bytes)
}

/** The program runs as a call of the tool `shell` does: only what is allowed without a question. */
async function programDigest({ runtime }: ConditionHost, cmd: string): Promise<string> {
  const digest = await planProgram(runtime, cmd)
  const result = await runtime.runTool('shell', shellInput(cmd), digest, 'schedule')
  if (!result.ok) throw fault(`The program failed: ${result.error}`)
  return sha256(result.output)
}

/** Rejects where it may not run without a person. */
export async function planProgram(runtime: ConditionHost['runtime'], cmd: string): Promise<string> {
  const plan = await runtime.planTool('shell', shellInput(cmd))
  if (plan.type === 'refused') throw fault(`The program may not run: ${plan.error}`)
  if (plan.type === 'ask') throw fault('The program may not run without a question. Allow it in tool-access.json.')
  return plan.digest
}

function shellInput(cmd: string) {
  return { cmd, maxOutputChars: 200_000 }
}

function fault(message: string): ForewordError {
  return new ForewordError('invalid-input', message)
}
