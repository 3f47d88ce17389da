// What each process of `npm test` loads first, so that the tests spend their time on what they test.
import './test-process/compile-cache.mjs'
import './test-process/memory-folder.mjs'
import './test-process/unfollowed-promises.mjs'
