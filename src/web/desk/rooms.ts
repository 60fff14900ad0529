// The page's second file: see late.ts.
export { ChangesPage } from './changesPage.tsx';
export { highlight } from './highlight.ts';
