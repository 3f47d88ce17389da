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

async function start() {
  module.enableCompileCache()
  const [{ main }, { overview }] = await Promise.all([load('cli/main'), load('foreword/overview')])
  const { stdin, stdout, stderr, env: environment } = process
  process.exitCode = await main(process.argv.slice(2), { overview, stdin, stdout, stderr, environment })
}

/** A checkout runs its TypeScript as it is; under node_modules Node allows none, so a package carries the emitted code. */
function load(name) {
  const source = new URL(`../src/${name}.ts`, import.meta.url)
  return import(existsSync(source) ? source.href : new URL(`../dist/${name}.js`, import.meta.url).href)
}
