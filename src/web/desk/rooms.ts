// The page's second file: see late.ts.
export { AllowedRoom } from './allowedRoom.tsx';
export { ChangesPage } from './changesPage.tsx';
export { CodeRoom } from './codeRoom.tsx';
export { Share } from './share.tsx';
export { highlight } from './highlight.ts';
export { Traffic } from './traffic.tsx';
