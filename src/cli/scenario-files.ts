import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailure } from './failure.ts'
import { fileFailure } from './input-text.ts'

export async function scenarioFiles(directory: string): Promise<readonly string[]> {
  if (!existsSync(directory)) throw fileFailure(directory, 'read', Object.assign(new Error(), { code: 'ENOENT' }))
  const found: string[] = []
  const exclude = (name: string) => name === 'node_modules' || (name.startsWith('.') && name.length > 1)
  for await (const name of glob('**/*.{json,jsonl}', { cwd: directory, exclude })) found.push(join(directory, name))
  if (found.length > 0) return found.toSorted()
  throw new CommandFailure('no-scenarios', `${directory} contains no scenario files (*.json, *.jsonl).`, {
    hint: 'Assemble one scenario with `foreword assemble FILE`. The format is described in schema/scenario.schema.json of this package.',
  })
}
