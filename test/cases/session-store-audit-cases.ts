import assert from 'node:assert/strict'
import { type AuditFacts, type AuditOptions, type SessionStore, verifyAudit, type Write } from '../../src/session.ts'
import { at, start, type StoreCase, wholeTurn } from './session-store-entries.ts'

/** Cases for the audit. */
export function auditCases(storeCase: StoreCase): void {
  storeCase('each audit record has the facts and the hash of the record before it', async (store) => {
    assert.deepEqual([await store.audit(), await store.auditHead()], [[], undefined])
    const facts: AuditFacts = {
      kind: 'call',
      session: 'a',
      turn: 't1',
      toolCallId: 'tool-1',
      tool: 'shell',
      input: '{"cmd":"ls -l"}',
      argv: ['ls', '-l'],
      folder: '/srv',
      decision: 'allowed',
      rule: 'tools.shell.mode=allowlist',
      ok: false,
      exitCode: 2,
      durationMs: 12.5,
      bytes: 90_000,
      truncated: true,
    }
    await store.transaction([audit(facts, 1), audit({ kind: 'change', reason: 'by the owner' }, 2)])
    const [first, second] = await store.audit()
    assert.deepEqual(first, { ...facts, number: 1, time: at(1), previous: '0'.repeat(64), hash: first?.hash })
    const { hash } = second!
    const change = { kind: 'change', reason: 'by the owner', number: 2, time: at(2) }
    assert.deepEqual(second, { ...change, previous: first?.hash, hash })
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.deepEqual(await store.auditHead(), { number: 2, hash })
    assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 2 })
  })

  storeCase('the audit continues after the store was reopened', async (store, reopen) => {
    await store.transaction([audit({ kind: 'call' }, 1)])
    const [first] = await store.audit()
    const again = await reopen()
    await again.transaction([audit({ kind: 'call' }, 2)])
    assert.deepEqual((await again.audit())[0], first)
    assert.equal((await again.audit())[1]?.previous, first?.hash)
    assert.deepEqual(await verifyAudit(again), { type: 'whole', records: 2 })
  })

  storeCase('concurrent records form one chain, and a failed write leaves no gap', async (store) => {
    const unknown: Write = { type: 'call-outcome', id: 'unknown', outcome: { durationMs: 1 } }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => {
        const record = audit({ kind: 'call', toolCallId: `tool-${index}` }, 1)
        return store.transaction(index % 3 === 0 ? [record, unknown] : [record])
      }),
    )
    assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 40)
    const written = (await store.audit()).map((record) => record.toolCallId)
    assert.deepEqual(
      written,
      Array.from({ length: 60 }, (_, index) => `tool-${index}`).filter((_, index) => index % 3 !== 0),
    )
    assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 40 })
  })

  storeCase('audit records remain when their session is deleted', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1')], at(1))
    await store.transaction([audit({ kind: 'call', session: 'a', turn: 't1' }, 1)])
    await store.deleteSession('a')
    assert.equal((await store.audit({ session: 'a' })).length, 1)
    assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 1 })
  })

  storeCase(
    'records can be listed by session, turn, tool, decision and time, in pages or from the newest',
    async (store) => {
      await fillStore(store)
      const found: readonly [options: AuditOptions, numbers: readonly number[]][] = [
        [{}, [1, 2, 3, 4, 5, 6]],
        [{ session: 'a' }, [1, 2, 5]],
        [{ turn: 't1' }, [1, 3]],
        [{ tool: 'shell' }, [1, 3, 5]],
        [{ decision: 'refused' }, [3, 5]],
        [{ since: at(5) }, [5, 6]],
        [{ session: 'a', tool: 'shell', decision: 'allowed' }, [1]],
        [{ session: 'unknown' }, []],
        [{ last: 2 }, [5, 6]],
        [{ last: 1, session: 'b' }, [4]],
        [{ limit: 2 }, [1, 2]],
        [{ after: 2, limit: 2 }, [3, 4]],
        [{ after: 1, tool: 'shell', limit: 1 }, [3]],
        [{ after: 4, last: 9 }, [5, 6]],
        [{ after: 6 }, []],
        [{ until: at(5), since: at(3) }, [3, 4]],
        [{ before: 5, last: 2 }, [3, 4]],
        [{ before: 5, tool: 'shell' }, [1, 3]],
      ]
      for (const [options, numbers] of found) {
        const listed = (await store.audit(options)).map((record) => record.number)
        assert.deepEqual(listed, numbers, JSON.stringify(options))
      }
    },
  )

  storeCase('a tool name that cannot be stored unchanged breaks nothing', async (store) => {
    const tool = 'shell \u0000 \ud800 \u2028 字'
    await store.transaction([audit({ kind: 'call', tool, argv: ['\u001b[2J', '\ud800'] }, 1)])
    const [record] = await store.audit({ tool })
    assert.deepEqual([record?.tool, record?.argv], [tool, ['\u001b[2J', '\ud800']])
    assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 1 })
  })

  storeCase('verification reads an audit of several pages to its end while it grows', async (store) => {
    const records = Array.from({ length: 1_200 }, () => audit({ kind: 'call' }, 1))
    await store.transaction(records)
    const [verdict] = await Promise.all([verifyAudit(store), store.transaction(records)])
    assert.equal(verdict.type, 'whole')
    assert.deepEqual(await verifyAudit(store), { type: 'whole', records: 2_400 })
  })
}

function audit(facts: AuditFacts, second: number): Write {
  return { type: 'audit', facts, time: at(second) }
}

async function fillStore(store: SessionStore): Promise<void> {
  await store.transaction([
    audit({ kind: 'call', session: 'a', turn: 't1', tool: 'shell', decision: 'allowed' }, 1),
    audit({ kind: 'call', session: 'a', turn: 't2', tool: 'read_file', decision: 'allowed' }, 2),
    audit({ kind: 'decision', session: 'b', turn: 't1', tool: 'shell', decision: 'refused' }, 3),
    audit({ kind: 'call', session: 'b', turn: 't2', tool: 'read_file', decision: 'approved' }, 4),
    audit({ kind: 'decision', session: 'a', turn: 't3', tool: 'shell', decision: 'refused' }, 5),
    audit({ kind: 'change', rule: 'mode=full' }, 6),
  ])
}
