import { randomBytes } from 'node:crypto'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Server, listen } from '../../src/server.ts'
import { collectContributions } from '../../src/server/contributions.ts'
import { HttpFailure } from '../../src/server/failure.ts'
import { createBrake } from '../../src/server/brake.ts'
import { createGuard } from '../../src/server/guard.ts'
import { httpEndpoint } from '../../src/server/mcp/http-endpoint.ts'
import { openCatalogue } from '../../src/server/mcp/catalogue.ts'
import { type HostedRuntime, openBrowserSessions } from '../../src/runtime.ts'
import { openedHome } from '../home/opened-home.ts'
import { withConformanceFixtures } from './conformance-catalogue.ts'
import { oneSubject } from './mcp-home.ts'
import { type Check, runConformance } from './run-conformance.ts'
import { systemClock } from '../../src/platform.ts'

/**
 * What does not apply, because it is not declared: subscriptions to resources, events that are sent once more to a
 * reader that comes back, tools whose parameters stand in headers, and the extension for tasks.
 */
const notDeclared: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['resources-subscribe', 'resources-unsubscribe', 'server-sse-polling'],
  '2026-07-28': ['http-custom-header-server-validation', /* an extension: */ 'tasks-'],
}

for (const revision of Object.keys(notDeclared)) {
  test(`the conformance suite passes for ${revision}, in everything that is declared`, async (t) => {
    const url = await conformanceServer(t)
    const checks = await runConformance({ url }, revision)
    const declared = checks.filter(({ scenario }) => !notDeclared[revision]!.some((name) => scenario.startsWith(name)))

    assert.deepEqual(declared.filter(isFailure), [])
    const scenarios = new Set(declared.map(({ scenario }) => scenario))
    assert.ok(scenarios.size >= leastScenarios[revision]!, `only ${scenarios.size} scenarios ran`)
    // Whoever declares one of them some day has to take it off the list.
    const others = checks.filter((check) => !declared.includes(check))
    for (const name of notDeclared[revision]!) {
      assert.ok(
        others.some((check) => check.scenario.startsWith(name) && check.status !== 'SUCCESS'),
        `${name} passes`,
      )
    }
  })
}

/** So that a suite that did not run is no success. */
const leastScenarios: Readonly<Record<string, number>> = { '2025-11-25': 30, '2026-07-28': 36 }

function isFailure({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING'
}

/** The door as the gateway has it, without a token, for the suite can send none; Host and Origin are checked. */
async function conformanceServer(t: Parameters<typeof openedHome>[0]): Promise<string> {
  const { runtime } = await openedHome(t, oneSubject)
  const unexpected = (error: unknown) => assert.fail(String(error))
  const catalogue = await openCatalogue(runtime, {
    unexpected,
    additions: (await collectContributions((runtime as unknown as HostedRuntime).contributed)).flatMap(
      ({ mcp }) => mcp ?? [],
    ),
  })
  const endpoint = httpEndpoint(withConformanceFixtures(catalogue), {
    clock: systemClock,
    version: '0.1.0',
    maxBodyBytes: 1 << 20,
    unexpected,
  })
  const guard = createGuard({
    clock: systemClock,
    token: () => undefined,
    browsers: openBrowserSessions({ clock: systemClock, random: randomBytes }),
    brake: createBrake({ clock: systemClock, record: async () => {} }),
    bind: '127.0.0.1',
    isOpen: () => false,
  })
  const server: Server = {
    clock: systemClock,
    token: undefined,
    endStreams: () => void endpoint.close(),
    settle: () => Promise.resolve(),
    refuse: ({ status }) => new Response(null, { status }),
    async fetch(request) {
      try {
        await guard.enter(request, '/mcp', undefined)
        return await endpoint.fetch(request)
      } catch (error) {
        return new Response(null, { status: error instanceof HttpFailure ? error.failure.status : 500 })
      }
    },
  }
  const listening = await listen(server, { port: 0, bind: '127.0.0.1' })
  t.after(() => listening.close({ graceMs: 500 }))
  return `${listening.url}/mcp`
}
