import { editJson, type JsonChange } from '../../tool.ts'
import { checkValue } from './load.ts'
import type { ConfigurationSchema } from './schema.ts'
import { parseConfiguration } from './file.ts'
import { type KeyPath, findKeyPath, isKeyWithin, namesAt, namesIn, schemaAt } from './key.ts'
import { addressPasswords, type Clock, errorMessage, fieldsOf, nearestHint } from '../../platform.ts'
import { ConfigurationError } from './problem.ts'
import { editFile, FileEditError } from '../home/edit-file.ts'
import { homeAt } from '../home/home.ts'

interface EditOptions {
  readonly home: string
  readonly clock: Clock
  readonly schema: ConfigurationSchema
  /** Such as `gateway.port`, or one name per level. */
  readonly key: string | KeyPath
  /** JSON; `undefined` removes the key. */
  readonly value: unknown
  /** Given the text of the file as it is, under its lock; what it throws keeps the file as it is. */
  readonly expects?: (text: string) => void
  /** Given the text of the file as it would be; what it throws keeps the file as it is. */
  readonly check?: (text: string) => void | Promise<void>
}

/**
 * Sets one key of `config.json` and leaves everything else in it unchanged, comments too. Rejects with a
 * `ConfigurationError`, and has then changed nothing, where the key is unknown, the value does not fit it, or the key
 * holds a secret: those are named by environment variable or file.
 */
export async function setValue({ home, clock, schema, key, value, expects, check }: EditOptions): Promise<void> {
  const edit = valueEdit({ schema, key, value })
  try {
    await editFile({
      home,
      clock,
      path: homeAt(home).configurationFile,
      change(text) {
        expects?.(text)
        return edit.change(text)
      },
      async check(text) {
        edit.check(text)
        await check?.(text)
      },
    })
  } catch (error) {
    // The message of a key is a phrase.
    throw error instanceof FileEditError ? keyError([], error.message.replace(/\.$/, '')) : error
  }
}

/** The text of `config.json` after one key was set. Throws what `setValue` rejects with; writes nothing. */
export function textWithValue(text: string, options: Pick<EditOptions, 'schema' | 'key' | 'value'>): string {
  const edit = valueEdit(options)
  const after = edit.change(text)
  edit.check(after)
  return after
}

function valueEdit({ schema, key, value }: Pick<EditOptions, 'schema' | 'key' | 'value'>) {
  const path = typeof key === 'string' ? configurationKey(key, schema) : key
  refuseSecret(path, value)
  const wanted: JsonChange = value === undefined ? { type: 'remove', path: [...path] } : { type: 'set', path, value }
  let known: ReadonlySet<string> = new Set()
  return {
    change(text: string): string {
      const before = parseConfiguration(text)
      if (before.problems.length > 0) throw new ConfigurationError(before.problems)
      // Other keys may be wrong already: they can be corrected one by one.
      known = new Set(checkValue(before.value, schema).faults.map((fault) => fault.path.join('.')))
      return changeText(text, wanted)
    },
    check: (text: string) => assertFits(text, path, known, schema),
  }
}

/** The path of a written key. Throws a `ConfigurationError` with the nearest one where there is none. */
export function configurationKey(key: string, schema: ConfigurationSchema): KeyPath {
  const path = findKeyPath(key, schema)
  if (path) return path
  const words = namesIn(key)
  if (!words)
    throw keyError([key], 'has a quote that is not closed', 'A name in quotes is written `models."lab/m1".window`.')
  let known = 0
  while (known < words.length && schemaAt(words.slice(0, known + 1), schema.json)) known++
  const list = words.findIndex((_, at) => at > 0 && schemaAt(words.slice(0, at), schema.json)?.items !== undefined)
  if (list !== -1) {
    const name = words.slice(0, list).join('.')
    throw keyError(
      words,
      'is in a list',
      `A list is set whole: foreword config set ${name} '[…]'. Or edit config.json.`,
    )
  }
  const beside = words.slice(0, known)
  const names = namesAt(beside, schema.json)
  if (names.length === 0) throw keyError(words, 'is not a key', `${beside.join('.')} has no keys below it.`)
  const written = (near: string) => [...beside, near].join('.')
  const hint = nearestHint(words[known] ?? '', names, `Known there: ${names.join(', ')}.`, written)
  throw keyError(words, 'is not a key', hint)
}

function refuseSecret(path: KeyPath, value: unknown): void {
  const isPassword = path[0] === 'store' && addressPasswords(storeAddress(value)).length > 0
  if (!isPassword && !isSecretKey(path)) return
  const hint =
    path[0] === 'gateway'
      ? 'The gateway makes its own; another one can be set with FOREWORD_GATEWAY_TOKEN.'
      : isPassword
        ? 'Leave the password out of the address, and set FOREWORD_STORE_PASSWORD, or "passwordEnv" or "passwordFile" beside "address".'
        : 'Name an environment variable (apiKeyEnv, tokenEnv) or a file (apiKeyFile, tokenFile) that holds it.'
  throw keyError(path, 'holds a secret, and secrets are not written into config.json', hint)
}

/** Whether the name of a key says that it holds a secret. */
export function isSecretKey(path: KeyPath): boolean {
  const name = path.at(-1) ?? ''
  return (
    /(?:token|secret|password|passphrase|credentials?|api[-_]?key|private[-_]?key)$/i.test(name) ||
    (path.includes('headers') && /authorization|cookie|key|token|secret/i.test(name))
  )
}

function storeAddress(value: unknown): string {
  const address = typeof value === 'string' ? value : fieldsOf(value)['address']
  return typeof address === 'string' ? address : ''
}

function changeText(text: string, change: JsonChange): string {
  try {
    return editJson(text, [change])
  } catch (error) {
    throw keyError(change.path.map(String), errorMessage(error))
  }
}

function assertFits(text: string, path: KeyPath, known: ReadonlySet<string>, schema: ConfigurationSchema): void {
  const after = parseConfiguration(text)
  if (after.problems.length > 0) throw new ConfigurationError(after.problems)
  const faults = checkValue(after.value, schema).faults.filter(
    (fault) => !known.has(fault.path.join('.')) || isKeyWithin(fault.path, path) || isKeyWithin(path, fault.path),
  )
  if (faults.length === 0) return
  throw new ConfigurationError(
    faults.map(({ path: at, message, hint }) => ({ key: at.join('.'), place: 'config.json', message, hint })),
  )
}

function keyError(path: KeyPath, message: string, hint = ''): ConfigurationError {
  return new ConfigurationError([{ key: path.join('.'), place: 'config.json', message, hint }])
}
