const data = JSON.parse(document.getElementById('data').textContent);
window.rehearsePage = data.served ? new Served(data) : new Page(data);
