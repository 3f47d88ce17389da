/** A program that `foreword wrap` runs: how it is told where its calls go. */
export interface WrappedProgram {
  readonly name: string
  readonly title: string
  readonly command: string
  /** How it is installed, as a command. */
  readonly install: string
  readonly provider: string
  /** What is set for one run. Pure but for `readText`. */
  readonly plan: (run: WrappedRun) => RunPlan
  /** In the command lines of processes of it that outlive it and go on making calls. */
  readonly outlives?: RegExp
  /** In the command lines of processes that the run leaves and that would go on with its settings: they are ended with it. */
  readonly leaves?: RegExp
}

export interface WrappedRun {
  readonly id: string
  /** Of the gateway, without a slash at its end: `http://127.0.0.1:4141`. */
  readonly address: string
  /** A token of the scope `talk` that exists for this run alone. */
  readonly token: string
  /** Absent: the programs' own choice. */
  readonly provider?: string
  readonly model?: string
  /** Of `model`, tokens; absent where it is not known. */
  readonly window?: number
  /** The calls go on with the key that the gateway has, rather than with the program's own. */
  readonly gatewayKey: boolean
  /** Conversations that do not fit any more are cut on their way, rather than passed on as they are. */
  readonly assemble: boolean
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
  /** For temporary files: it is private, and gone after the run. */
  readonly folder: string
  /** `undefined` where there is no such file or it cannot be read. */
  readonly readText: (path: string) => string | undefined
}

export interface RunPlan {
  /** Variables of its environment; `undefined` takes one away. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly args: readonly string[]
  /**
   * Removed after the run; private to the owner. One outside of the run's folder has a name that begins with its id.
   */
  readonly files?: readonly { readonly path: string; readonly text: string }[]
  /** What the person should know before the run. */
  readonly notes?: readonly string[]
}

export const TOKEN_HEADER = 'x-foreword-token'

/** The variable that has the token, for a program whose settings name a variable rather than have its value. */
export const TOKEN_VARIABLE = 'FOREWORD_WRAP_TOKEN'

/** The arguments of a program that takes the name of a model as `--model`. */
export function argsWithModel({ model, args }: Pick<WrappedRun, 'model' | 'args'>): readonly string[] {
  return [...(model === undefined ? [] : ['--model', model]), ...args]
}

/** Headers as a variable has them, with that of the run's token behind them. */
export function withTokenHeader(headers: string | undefined, token: string, separator: string): string {
  return [...(headers ? [headers] : []), `${TOKEN_HEADER}: ${token}`].join(separator)
}

/** The address of a provider below the gateway, for a program that sends the token in a header. */
export function providerAddress(run: Pick<WrappedRun, 'address' | 'assemble'>, provider: string): string {
  return `${entrance(run)}/${encodeURIComponent(provider)}`
}

/** The same with the token in it, for a program that cannot send a header of its own. */
export function providerAddressWithToken(
  run: Pick<WrappedRun, 'address' | 'assemble' | 'token'>,
  provider: string,
): string {
  return `${entrance(run)}/@${run.token}/${encodeURIComponent(provider)}`
}

function entrance({ address, assemble }: Pick<WrappedRun, 'address' | 'assemble'>): string {
  return `${address}/${assemble ? 'assemble' : 'through'}`
}
