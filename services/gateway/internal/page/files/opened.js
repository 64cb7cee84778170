// Keeps the page's half of the session, where no other port of this host can read
// it, and goes on to the page.
localStorage.setItem('freshet-page', document.querySelector('meta[name=freshet-page]').content);
location.replace('/');
