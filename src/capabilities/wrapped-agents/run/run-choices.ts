import { readFileSync } from 'node:fs'
import type { Io } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import type { WrappedRun } from '../program/wrapped-program.ts'

export interface RunChoices {
  readonly provider?: string
  readonly model?: string
  readonly gatewayKey: boolean
  readonly assemble: boolean
  readonly args: readonly string[]
}

export function runFacts(
  { provider, model, gatewayKey, assemble, args }: RunChoices,
  io: Io,
): Omit<WrappedRun, 'address' | 'token' | 'folder'> {
  return {
    id: `foreword-wrap-${process.pid}`,
    ...defined({ provider, model }),
    gatewayKey,
    assemble,
    args,
    environment: io.environment,
    directory: process.cwd(),
    readText,
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
