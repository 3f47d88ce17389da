import { applyEdits, modify } from 'jsonc-parser'
import { readText } from '../../plugin.ts'
import { checked } from './load.ts'
import { parseConfiguration } from './file.ts'
import { type KeyPath, keyPathOf, namesAt } from './key.ts'
import { nearestName } from './nearest-name.ts'
import { ConfigurationError } from './problem.ts'
import { createHome, homeAt } from '../home/home.ts'
import { writePrivately } from '../home/private-file.ts'

export interface EditOptions {
  /** Path of the home. */
  readonly home: string
  /** Such as `gateway.port`, or one name per level. */
  readonly key: string | KeyPath
  /** JSON; `undefined` takes the key out. */
  readonly value: unknown
  /** A name that no other process uses, for the file that is written first. The process's number unless given. */
  readonly unique?: string
}

/**
 * Sets one key of `config.json` and leaves everything else in it as it stands, comments too. Rejects with a
 * `ConfigurationError`, and has then changed nothing, where the key is unknown, the value does not fit it, or the key
 * holds a secret: those are named by environment variable or file.
 */
export async function setValue({ home, key, value, unique = `${process.pid}` }: EditOptions): Promise<void> {
  const path = typeof key === 'string' ? pathOf(key) : key
  refuseSecret(path)
  const { configurationFile } = homeAt(home)
  const found = await readText(configurationFile)
  if (found.type === 'unreadable') throw problem([], `the file cannot be read: ${found.why}`)
  const before = found.type === 'text' && found.text.trim() !== '' ? found.text : '{}\n'
  const after = edited(before, path, value)
  await createHome(homeAt(home))
  await writePrivately(configurationFile, after, unique)
}

function pathOf(key: string): KeyPath {
  const path = keyPathOf(key)
  if (path) return path
  const words = key.split('.')
  let known = 0
  while (known < words.length && keyPathOf(words.slice(0, known + 1).join('.'))) known++
  const beside = words.slice(0, known)
  const near = nearestName(words[known] ?? '', namesAt(beside))
  const mend =
    near === undefined ? `Known there: ${namesAt(beside).join(', ')}.` : `Did you mean ${[...beside, near].join('.')}?`
  throw problem(words, 'is not a key', mend)
}

function refuseSecret(path: KeyPath): void {
  const name = path.at(-1) ?? ''
  const isSecret =
    /(?:token|secret|password|passphrase|credentials?|api[-_]?key|private[-_]?key)$/i.test(name) ||
    (path.includes('headers') && /authorization|cookie|key|token|secret/i.test(name))
  if (!isSecret) return
  const mend =
    path[0] === 'gateway'
      ? 'The gateway makes its own; another one can be set with FOREWORD_GATEWAY_TOKEN.'
      : 'Name an environment variable (apiKeyEnv, tokenEnv) or a file (apiKeyFile, tokenFile) that holds it.'
  throw problem(path, 'holds a secret, and secrets are not written into config.json', mend)
}

function edited(text: string, path: KeyPath, value: unknown): string {
  const broken = parseConfiguration(text).problems
  if (broken.length > 0) throw new ConfigurationError(broken)
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }
  const after = applyEdits(text, modify(text, [...path], value, options))
  // Other keys may be wrong already: they can be mended one by one.
  const known = new Set(checked(parseConfiguration(text).value).faults.map((fault) => fault.path.join('.')))
  const faults = checked(parseConfiguration(after).value).faults.filter(
    (fault) => !known.has(fault.path.join('.')) || isWithin(fault.path, path) || isWithin(path, fault.path),
  )
  if (faults.length === 0) return after
  throw new ConfigurationError(
    faults.map(({ path: at, message, mend }) => ({ key: at.join('.'), place: 'config.json', message, mend })),
  )
}

function isWithin(inner: KeyPath, outer: KeyPath): boolean {
  return outer.every((name, index) => inner[index] === name)
}

function problem(path: KeyPath, message: string, mend = ''): ConfigurationError {
  return new ConfigurationError([{ key: path.join('.'), place: 'config.json', message, mend }])
}
