#!/usr/bin/env node
// Plain syntax: an old Node must be able to read this file as far as the message that it is too old.
import { existsSync } from 'node:fs'
import * as module from 'node:module'

const NEEDED = 24

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `foreword needs Node ${NEEDED} or newer, and this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer Node from nodejs.org. In a checkout, `npm start` and `npm run foreword -- ARGS` bring their own.\n',
  )
  process.exitCode = 1
} else {
  await start()
}

/** A checkout runs its TypeScript as it is; under node_modules Node allows none, so a package carries the emitted code. */
async function start() {
  module.enableCompileCache()
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const { main } = await import(existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href)
  const words = process.argv.slice(2)
  process.exitCode = await main(words, {
    capabilities: ['--version', '-v', 'version'].includes(words[0]) ? [] : await capabilities(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  })
}

async function capabilities() {
  const source = new URL('../src/foreword/built-in.ts', import.meta.url)
  const { builtIn } = await import(
    existsSync(source) ? source.href : new URL('../dist/foreword/built-in.js', import.meta.url).href
  )
  return builtIn
}
