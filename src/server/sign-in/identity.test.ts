import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Claims, isLetIn, readIdentity, type SignedInIdentity } from './identity.ts'

const settings = { groupsClaim: 'groups', nameClaim: 'preferred_username' }
const read = (...sources: readonly Claims[]) =>
  readIdentity({ issuer: 'https://id.example', sub: '7' }, sources, settings)
const emailOf = (...sources: readonly Claims[]) => read(...sources).email

test('an address counts where its own source says that it is verified, and nothing but `true` says so', () => {
  assert.equal(emailOf({ email: 'Ann@Reef.Example', email_verified: true }), 'ann@reef.example')
  for (const email_verified of [false, 'true', 1, {}, null, undefined])
    assert.equal(emailOf({ email: 'ann@reef.example', email_verified }), undefined)
  assert.equal(emailOf({ email: 'ann@reef.example' }, { email_verified: true }), undefined)
  assert.equal(
    emailOf({ email: 'a@reef.example' }, { email: 'b@reef.example', email_verified: true }),
    'b@reef.example',
  )
  assert.equal(emailOf({ email: ['ann@reef.example'], email_verified: true }), undefined)
})

test('groups are texts, one or many, and what else a provider writes is none', () => {
  assert.deepEqual(read({ groups: ['a', 7, null, 'b'] }).groups, ['a', 'b'])
  assert.deepEqual(read({ groups: 'a' }).groups, ['a'])
  assert.deepEqual(read({ groups: { a: true } }).groups, [])
  assert.deepEqual(read({ groups: [] }, { groups: ['a'] }).groups, [])
})

test('one rule is enough, none lets nobody in, and no address is let in by a part of a domain', () => {
  const ann: SignedInIdentity = {
    issuer: 'https://id.example',
    sub: '7',
    email: 'ann@reef.example',
    groups: ['divers'],
  }
  assert.ok(isLetIn(ann, { emails: ['ANN@reef.example'] }))
  assert.ok(isLetIn(ann, { domains: ['Reef.Example'] }))
  assert.ok(isLetIn(ann, { emails: ['bob@reef.example'], groups: ['divers'] }))
  for (const rules of [
    {},
    { emails: [] },
    { emails: ['reef.example', 'nn@reef.example'] },
    { domains: ['example', 'eef.example', '@reef.example', 'a.reef.example', ''] },
    { groups: ['Divers', 'diver'] },
  ])
    assert.ok(!isLetIn(ann, rules), JSON.stringify(rules))
  assert.ok(!isLetIn({ ...ann, email: 'ann@reef.example@evil.example' }, { domains: ['reef.example'] }))
  assert.ok(!isLetIn({ ...ann, email: '@reef.example', groups: [] }, { domains: ['reef.example'] }))
})
