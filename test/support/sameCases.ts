import fc from 'fast-check';

/** `npm test` tries the same cases each time: a new one that fails is found by `npm run faults`, not by whoever runs CI next. */
fc.configureGlobal({ seed: Number(process.env['NANCY_SEED'] ?? 20_261_122) });
