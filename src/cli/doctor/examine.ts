import type { Finding, Io } from '../../capability.ts'
import { homeStore } from '../open-store.ts'
import { runningGateway } from '../running-gateway.ts'
import { checkAudit } from './check-audit.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkContents } from './check-contents.ts'
import { checkEmbedder } from '../../capabilities/files/cli/check-embedder.ts'
import { checkHome, checkPrivacy } from './check-home.ts'
import { checkClock, checkDisk, checkNode } from './check-machine.ts'
import { checkModel } from './check-model.ts'
import { checkPlugins } from './check-plugins.ts'
import { checkPolicy } from './check-policy.ts'
import { checkPort } from './check-port.ts'
import { checkSkills } from '../../capabilities/skills/cli/check-skills.ts'
import { checkStore } from './check-store.ts'
import { checkSubjects } from '../../capabilities/subjects/cli/check-subjects.ts'
import { checkTelegram } from '../../capabilities/telegram/cli/check-telegram.ts'
import { checkToken } from './check-token.ts'
import { checkServers, checkTools } from './check-tools.ts'
import { ok, problem } from './finding.ts'

/** No clock that is right says less. */
const RELEASED = '2026-01-01T00:00:00.000Z'

/** Looks at everything that a gateway on this home needs. Changes nothing. */
export async function examine(home: string, io: Io): Promise<readonly Finding[]> {
  const { homeAt, loadConfiguration } = await import('../../runtime.ts')
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { providers: known } = await import('../../capabilities/providers.ts')
  const files = homeAt(home)
  const { environment } = io
  const loaded = await loadConfiguration({ home, environment, capabilities: io.capabilities ?? [] })
  const { gateway, mcp, model, models, providers } = loaded.configuration
  const kept = await homeStore(home, io)
  const store = await checkStore(kept)
  const hasStore = await kept.driver.exists(kept.folder)
  const privateFiles = [
    files.configurationFile,
    files.toolAccessFile,
    files.contextToolAccessFile,
    files.data,
    files.tokenFile,
    kept.driver.location(kept.folder),
  ]
  const configuration = await checkConfiguration(loaded, files.configurationFile, io)
  const search = await checkEmbedder(loaded.configuration.search, environment)
  const plugins = await checkPlugins(home, loaded.configuration)
  // What keeps a gateway from starting is told; there is none then that could be asked.
  const opens = [...loaded.problems, ...plugins.filter(({ level }) => level === 'problem')].length === 0
  return [
    checkNode(process.versions.node),
    await checkHome(home),
    await checkPrivacy(privateFiles),
    ...configuration,
    store.finding,
    ...(store.finding.level === 'ok' ? await checkContents(kept) : []),
    await checkDisk(home),
    checkClock(new Date(), store.newest, RELEASED),
    await checkGateway(home, gateway),
    ...(await checkToken(home, gateway)),
    await checkModel(createModels({ known, providers, models, environment }), model, waysToAttach(known)),
    ...search,
    ...(await checkSkills(home, loaded.configuration, io)),
    ...(await checkPolicy(home, io)),
    ...plugins,
    ...(opens ? await checkTools(home, io, [...configuration, ...search]) : []),
    ...checkServers(Object.keys(mcp.servers)),
    ...(opens ? await checkSubjects(home, hasStore, io) : []),
    ...(await checkTelegram(loaded.configuration, home, hasStore, io)),
    await checkAudit(kept),
  ]
}

/** A gateway that runs has its port; where none does, the port must be free. */
async function checkGateway(home: string, { port, bind }: { port: number; bind: string }): Promise<Finding> {
  const running = await runningGateway(home)
  if (running.type === 'gateway') return ok('port', `a gateway runs at ${running.address} (process ${running.pid})`)
  if (running.type === 'none') return await checkPort(port, bind)
  return problem(
    'port',
    `process ${running.pid} holds the home but does not answer`,
    `Wait until it has ended; if it hangs, end it with \`kill ${running.pid}\`.`,
  )
}
