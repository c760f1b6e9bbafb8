/** A process whose last started thread dies at SIGUSR2. */
import threads from 'node:worker_threads'

let last
threads.Worker = class extends threads.Worker {
  constructor(...given) {
    super(...given)
    last = this
  }
}
process.on('SIGUSR2', () => last.terminate())
