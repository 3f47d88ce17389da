import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
// @ts-expect-error A script without types.
import { billOfMaterials, neededPackages } from '../scripts/sbom.mjs'

const root = dirname(import.meta.dirname)
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8')) as unknown

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly license?: string
  readonly hasInstallScript?: boolean
}

/** What an install of the package brings or has in its bundle, by where it is in the lockfile. */
const { packages } = read('package-lock.json') as { readonly packages: Record<string, LockedPackage> }
const { dependencies } = read('package.json') as { readonly dependencies: object }
const needed = neededPackages(packages, Object.keys(dependencies)) as ReadonlySet<string>
const locked = [...needed].map((at) => [at, packages[at]!] as const)

test('an install runs no program of any package, and brings only what the lockfile has a digest of', () => {
  const { scripts } = read('package.json') as { scripts: Record<string, string> }
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) assert.equal(scripts[name], undefined, name)
  assert.ok(locked.length > 50)
  for (const [at, { integrity, hasInstallScript }] of locked) {
    assert.equal(hasInstallScript, undefined, `${at} runs a program when it is installed`)
    assert.match(integrity ?? '', /^sha512-/, at)
  }
})

test('the bill of materials names each package of an install with version and digest, the same text each time', () => {
  const text = billOfMaterials() as string
  assert.equal(billOfMaterials(), text)
  const { components, bomFormat } = JSON.parse(text) as {
    readonly bomFormat: string
    readonly components: readonly { name: string; version: string; hashes: { alg: string; content: string }[] }[]
  }
  assert.equal(bomFormat, 'CycloneDX')
  const named = components.map(
    ({ name, version, hashes: [hash] }) => `${name}@${version} ${hash?.alg} ${hash?.content}`,
  )
  const expected = locked.map(([at, { version, integrity = '' }]) => {
    const digest = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
    return `${at.split('node_modules/').at(-1)}@${version} SHA-512 ${digest}`
  })
  assert.deepEqual([...new Set(named)].toSorted(), [...new Set(expected)].toSorted())
})
