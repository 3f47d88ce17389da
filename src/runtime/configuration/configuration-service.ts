import { isDeepStrictEqual } from 'node:util'
import { type AnyCapability, type Clock, type ConfigurationService, RuntimeError } from '../../capability.ts'
import { defined, sha256 } from '../../platform.ts'
import type { SessionStore, Write } from '../../session.ts'
import { fileDiff, readText } from '../../tool.ts'
import { fileVersions, fileVersionWrites } from '../home/file-versions.ts'
import { homeAt } from '../home/home.ts'
import { setValue, textWithValue } from './edit.ts'
import { parseConfiguration } from './file.ts'
import { loadConfiguration } from './load.ts'
import { ConfigurationError } from './problem.ts'
import type { Environment } from './value.ts'

export function createConfigurationService(options: {
  readonly home: string
  readonly environment: Environment
  readonly capabilities: readonly AnyCapability[]
  readonly store: SessionStore
  readonly clock: Clock
}): ConfigurationService {
  const { home, store, clock } = options
  const file = homeAt(home).configurationFile
  const load = () => loadConfiguration(options)

  async function text(): Promise<string> {
    const found = await readText(file)
    if (found.type !== 'unreadable') return found.type === 'text' ? found.text : ''
    throw new RuntimeError('storage', `${file} cannot be read: ${found.why}.`, {}, { hint: 'Correct its permissions.' })
  }

  return {
    async value(key) {
      const [now, { configuration }] = await Promise.all([text(), load()])
      return {
        written: valueAt(parseConfiguration(now).value, key),
        effective: valueAt(configuration, key),
        digest: sha256(now),
      }
    },
    async preview(key, value) {
      const [now, { schema }] = await Promise.all([text(), load()])
      const digest = sha256(now)
      // The parser makes objects without a prototype.
      if (isDeepStrictEqual(structuredClone(valueAt(parseConfiguration(now).value, key)), value)) {
        return { digest, difference: '', problems: [] }
      }
      try {
        const after = textWithValue(now, { schema, key, value })
        return { digest, difference: after === now ? '' : await fileDiff('config.json', now, after), problems: [] }
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error
        return { digest, difference: '', problems: problemSentences(error) }
      }
    },
    async set({ key, value, kept, digest, by }) {
      const { schema } = await load()
      let before = ''
      // Before the new content counts: where it cannot be recorded, nothing is changed.
      const record = async (after: string): Promise<void> => {
        const time = clock.time()
        const reason = `${key.join('.')} ${value === undefined ? 'removed' : 'set'} on the page`.slice(0, 500)
        const audit: Write = {
          type: 'audit',
          facts: { kind: 'change', rule: 'config.json', reason, ...defined({ by }) },
          time,
        }
        const versions = await fileVersionWrites(store, { file: kept.join('.'), before, after, time })
        await store.transaction([...versions, audit])
      }
      try {
        await setValue({
          home,
          clock,
          schema,
          key,
          value,
          expects(now) {
            if (sha256(now) !== digest) throw changed()
            before = jsonAt(now, kept)
          },
          check: (written) => record(jsonAt(written, kept)),
        })
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error
        const problems = problemSentences(error)
        const hint = 'Correct the key that is named. Nothing was written.'
        throw new RuntimeError('invalid-input', problems.join(' '), { problems }, { hint })
      }
    },
    versions: (key) => fileVersions(store, key.join('.')),
  }
}

function valueAt(value: unknown, key: readonly string[]): unknown {
  return key.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value,
  )
}

function jsonAt(text: string, key: readonly string[]): string {
  return JSON.stringify(valueAt(parseConfiguration(text).value, key) ?? {}, null, 2)
}

function problemSentences({ problems }: ConfigurationError): readonly string[] {
  return problems.map(({ key, message, hint }) => `${key} ${message}. ${hint}`.trim())
}

function changed(): RuntimeError {
  const hint = 'Look at the difference again, then save.'
  return new RuntimeError('changed', 'The file config.json has changed since you read it.', {}, { hint })
}
