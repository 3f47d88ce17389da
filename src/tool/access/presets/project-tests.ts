import { phrase } from '../../../context.ts'
import type { CommandPreset } from './match-command.ts'

const leaves = phrase`The code of the project runs, which tools may have written: it can do whatever the sandbox lets a program do, and everything that you can where there is no sandbox.`

/** Runs the tests of a project for Node. Left out are flags that load a module or write a file. */
export const nodeTest: CommandPreset = {
  name: 'node-test',
  allows: phrase`Runs tests of the workspace with node --test, and the scripts of its package.json with npm test and npm run.`,
  leaves,
  runsCode: true,
  commands: [
    {
      begins: ['node --test'],
      flags: {
        '--test-only --test-force-exit --no-warnings --enable-source-maps --experimental-strip-types': 'none',
        '--experimental-test-coverage': 'none',
        '--test-name-pattern --test-skip-pattern': '=pattern',
        '--test-reporter': '=one of spec|tap|dot|junit',
        '--test-concurrency --test-timeout': '=number',
        '--conditions': '=name',
      },
      operands: [{ kind: 'test' }],
    },
    { begins: ['npm test', 'npm t'], flags: { '--silent -s': 'none' } },
    {
      begins: ['npm run'],
      flags: { '--silent -s --if-present': 'none' },
      operands: [{ kind: 'name', most: 1 }],
    },
  ],
}

/** Runs the tests of a project for Python. Left out are flags that load a plugin or a configuration, or write a file. */
export const pythonTest: CommandPreset = {
  name: 'python-test',
  allows: phrase`Runs tests of the workspace with pytest, also as python -m pytest.`,
  leaves,
  runsCode: true,
  commands: [
    {
      begins: ['pytest', 'python -m pytest', 'python3 -m pytest'],
      flags: {
        '-q -v -x -s -l --quiet --verbose --exitfirst --showlocals --no-header --no-summary': 'none',
        '--lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only': 'none',
        '--disable-warnings --strict-markers --strict-config --runxfail --fixtures --markers --full-trace': 'none',
        '-k -m': 'expression',
        '-r': '=text',
        '--tb': '=one of auto|long|short|line|native|no',
        '--maxfail --durations --verbosity': '=number',
        '--color': '=one of yes|no|auto',
        '--capture': '=one of fd|sys|no|tee-sys',
        '--import-mode': '=one of prepend|append|importlib',
        '--deselect': '=text',
        '--ignore': '=path',
      },
      operands: [{ kind: 'test' }],
      bundles: true,
      flagsAnywhere: true,
    },
  ],
}
