import { phrase } from '../../context.ts'
import { createServer } from 'node:net'
import type { Finding, Io } from '../../capability.ts'
import { errorMessage, ForewordError } from '../../platform.ts'
import { findGateway } from '../connection.ts'
import { withNamedTokens } from '../tokens.ts'
import { ok, problem } from './finding.ts'

/** Checks the port: a running gateway listens on it; otherwise it must be free. */
export async function checkGateway(home: string, { port, bind }: { port: number; bind: string }): Promise<Finding> {
  const running = await findGateway(home)
  if (running.type === 'gateway')
    return ok('port', phrase`a gateway runs at ${running.address} (process ${running.pid})`)
  if (running.type === 'none') return await checkPort(port, bind)
  return problem(
    'port',
    phrase`process ${running.pid} uses the home but does not answer`,
    phrase`Wait until it ends. If it hangs, end it with \`kill ${running.pid}\`.`,
  )
}

/** Checks that a gateway could listen on a port of an address. Port 0 means any free one. */
export async function checkPort(port: number, bind: string): Promise<Finding> {
  const code = await tryPort(port, bind)
  if (code === undefined)
    return ok('port', port === 0 ? phrase`any free port of ${bind}` : phrase`${bind}:${port} is free`)
  const where = `${bind}:${port}`
  if (code === 'EADDRINUSE') {
    return problem(
      'port',
      phrase`another program listens on ${where}`,
      phrase`Stop it, or choose another port: \`foreword config set gateway.port 4142\`, or FOREWORD_GATEWAY_PORT.`,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return problem(
      'port',
      phrase`this machine has no address ${bind}`,
      phrase`Run \`foreword config set gateway.bind 127.0.0.1\`.`,
    )
  }
  return problem(
    'port',
    phrase`${where} cannot be used: ${code}`,
    phrase`Choose a port above 1023 with \`foreword config set gateway.port 4141\`.`,
  )
}

/** Returns the error code; `undefined` where the port is free. */
function tryPort(port: number, bind: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, bind, () => server.close(() => resolve(undefined)))
  })
}

/** Checks that the token of a gateway that other machines can reach is hard to guess, and that named tokens can be read. No findings where it is so. */
export async function checkToken(
  home: string,
  gateway: { readonly bind: string; readonly token?: string | undefined },
  io: Pick<Io, 'environment'>,
): Promise<readonly Finding[]> {
  return [...(await checkOwnerToken(home, gateway)), ...(await checkNamedTokens(home, io))]
}

async function checkOwnerToken(
  home: string,
  { bind, token }: Parameters<typeof checkToken>[1],
): Promise<readonly Finding[]> {
  const { readToken } = await import('../../runtime.ts')
  const { assertBindIsSafe } = await import('../../server.ts')
  try {
    const used = token ?? (await readToken(home))
    if (used !== undefined) assertBindIsSafe(bind, used)
    return []
  } catch (error) {
    const why = errorMessage(error)
    return [
      problem('token', why, phrase`Or listen only on this machine: \`foreword config set gateway.bind 127.0.0.1\`.`),
    ]
  }
}

async function checkNamedTokens(home: string, io: Pick<Io, 'environment'>): Promise<readonly Finding[]> {
  try {
    await withNamedTokens(home, io, (named) => named.list(), { reads: true })
    return []
  } catch (error) {
    const hint = (error instanceof ForewordError ? error.hint : undefined) ?? phrase`Correct the file.`
    return [problem('token', errorMessage(error), hint)]
  }
}
