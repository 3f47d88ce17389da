import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { type Io } from '../../../capability.ts'
import { CommandFailure, onInterrupt } from '../../../cli.ts'
import { errorMessage } from '../../../platform.ts'

interface ProgramToSpawn {
  readonly executable: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

/**
 * Runs a program with the terminal of this process and resolves to its exit code, 128 and the number of the signal
 * where one ended it. Signals are passed on; Ctrl-C reaches the program by itself.
 */
export function spawnProgram({ executable, args, environment, directory }: ProgramToSpawn, io: Io): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, args, { stdio: 'inherit', env: environment, cwd: directory })
    const stop = onInterrupt(io, (signal = 'SIGINT') => {
      if (signal !== 'SIGINT' || io.stdin.isTTY !== true) child.kill(signal)
    })
    child.once('error', (error) => {
      stop()
      reject(
        new CommandFailure('not-started', `${executable} cannot be started: ${errorMessage(error)}.`, { cause: error }),
      )
    })
    child.once('close', (code, signal) => {
      stop()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
