import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A home that is gone after the test, and an environment in which only `rehearsal` answers. */
export function temporaryHome(context: TestContext): { home: string; environment: Readonly<Record<string, string>> } {
  const home = join(mkdtempSync(join(tmpdir(), 'foreword-cli-')), 'home')
  context.after(() => rmSync(join(home, '..'), { recursive: true, force: true }))
  return {
    home,
    environment: { FOREWORD_HOME: home, FOREWORD_MODEL: 'rehearsal', FOREWORD_GATEWAY_PORT: '0', NO_COLOR: '1' },
  }
}
